/** Restores a deployed table and its files, with one interruption, and checks that everything works afterwards. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  CreateTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { runAdmin } from '#infra/cli/administer.ts';
import { Bucket } from '#infra/cli/archives/bucket.ts';
import { readStackOutputs } from '#infra/cli/stack-outputs.ts';
import { configureTable, createTable } from '#infra/operate/restored-table.ts';
import type { Services } from '#shared/services.ts';
import type { Cdk, EnvironmentName } from './cdk.ts';
import type { Project } from './project.ts';

const PROGRAM = 'infra/operate/restore.ts';

/** A setting that differs from that of the environment. */
const TABLE_MAXIMUM = { readUnits: 6500, writeUnits: 4500 };

interface Restore {
  readonly cdk: Cdk;
  readonly project: Project;
  readonly environment: EnvironmentName;
  readonly at: string;
}

/** Enables point-in-time recovery, because MiniStack ignores this setting of the template. */
export async function enableRecovery(TableName: string): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await new DynamoDBClient({}).send(
    new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
  );
}

/** Checks that a restore refuses a table of another environment before it pauses anything. */
export async function refuseForeignTable({ cdk, environment, at }: Restore, origin: string): Promise<void> {
  const TableName = `rundown-${environment}-foreign`;
  await new DynamoDBClient({}).send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      Tags: [{ Key: 'env', Value: 'prod' }],
    }),
  );
  await assert.rejects(
    cdk.operate(PROGRAM, environment, '--at', at, '--table', TableName),
    /ended with the exit status 1/,
  );
  await isServing(origin);
}

/**
 * Runs a restore that stops before its deployment, as if it had been interrupted. At that point, the restored table
 * exists, and traffic is paused.
 */
export async function restoreHalf({ cdk, environment, at, project }: Restore, origin: string): Promise<void> {
  const { readUnits, writeUnits } = TABLE_MAXIMUM;
  const settings = { tableMaximum: `${readUnits},${writeUnits}` };
  await writeFile(join(project.folder, `infra/environments/${environment}.json`), JSON.stringify(settings));
  const { TableName: SourceTableName } = await readStackOutputs(environment);
  const moment = at.slice(0, 19).replaceAll(/[-:]/g, '');
  const names = { SourceTableName, TargetTableName: `rundown-${environment}-restored-${moment}` };
  await new DynamoDBClient({}).send(new RestoreTableToPointInTimeCommand({ ...names, RestoreDateTime: new Date(at) }));
  await cdk.operate(PROGRAM, environment, '--at', at, '--without-deployment');
  const { status } = await fetch(`${origin}/health`);
  assert.equal(status, 429, 'Requests are not refused during a restore');
}

/**
 * Continues the interrupted restore, and then runs it once more. Returns the name of the restored table, which the
 * stack then uses.
 */
export async function restoreRest({ cdk, environment, at }: Restore, origin: string): Promise<string> {
  await cdk.operate(PROGRAM, environment, '--at', at);
  const { TableName } = await readStackOutputs(environment);
  assert.match(TableName, new RegExp(`^rundown-${environment}-restored-`));
  await isServing(origin);
  await cdk.operate(PROGRAM, environment, '--at', at);
  await isServing(origin);
  await hasAllSettings(TableName);
  return TableName;
}

/**
 * Restores a table of its own that the operator's key encrypts, and then a copy as AWS Backup leaves it, which lacks the
 * key. Both must have the key and the maximum capacity of the settings.
 */
export async function restoreEncrypted(): Promise<void> {
  const client = new DynamoDBClient({});
  const { KeyMetadata } = await new KMSClient({}).send(new CreateKeyCommand({}));
  const kmsKey = KeyMetadata?.Arn ?? '';
  const tableMaximum = { readUnits: 4321, writeUnits: 1234 };
  const environment = { ...ENVIRONMENTS.dev, tableMaximum };
  const source = 'rundown-dev-encrypted';
  const copy = 'rundown-dev-copied';
  for (const TableName of [source, copy])
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      }),
    );
  await enableRecovery(source);
  for (const target of ['rundown-dev-encrypted-again', copy]) {
    const restore = { environment, source, target, at: new Date(), kmsKey };
    await createTable(restore);
    await configureTable(restore);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: target }));
    const { MaxReadRequestUnits: readUnits, MaxWriteRequestUnits: writeUnits } = Table?.OnDemandThroughput ?? {};
    assert.deepEqual(
      { target, key: Table?.SSEDescription?.KMSMasterKeyArn, readUnits, writeUnits },
      { target, key: kmsKey, ...tableMaximum },
    );
  }
}

async function isServing(origin: string): Promise<void> {
  assert.equal((await fetch(`${origin}/health`)).status, 200, 'Requests are refused outside of a restore');
}

/** Checks the table settings that a restore by DynamoDB does not include. */
async function hasAllSettings(TableName: string): Promise<void> {
  const client = new DynamoDBClient({});
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  const { Tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: Table?.TableArn }));
  const { name } = ENVIRONMENTS.staging;
  assert.deepEqual(
    {
      stream: Table?.StreamSpecification?.StreamViewType,
      isProtected: Table?.DeletionProtectionEnabled,
      reads: Table?.OnDemandThroughput?.MaxReadRequestUnits,
      writes: Table?.OnDemandThroughput?.MaxWriteRequestUnits,
      expiry: TimeToLiveDescription?.AttributeName,
      recovery: ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus,
      env: Tags?.find(({ Key }) => Key === 'env')?.Value,
    },
    {
      stream: 'NEW_AND_OLD_IMAGES',
      isProtected: true,
      expiry: 'expiresAt',
      recovery: 'ENABLED',
      env: name,
      reads: TABLE_MAXIMUM.readUnits,
      writes: TABLE_MAXIMUM.writeUnits,
    },
  );
}

const Reported = z.array(z.object({ problem: z.string(), found: z.string(), repaired: z.string() }));

/** Checks that a deleted file of the organization is restored, and that a new object without a row is kept. */
export async function reconcileFiles(
  { artifacts }: Services,
  { organizationId }: { readonly organizationId: string },
  names: { readonly table: string; readonly bucket: string },
): Promise<void> {
  const bucket = new Bucket(names.bucket);
  const keys: string[] = [];
  for await (const page of bucket.pages(`${organizationId}/`)) keys.push(...page.map((object) => object.key));
  const [key = ''] = keys;
  await bucket.remove(key);
  assert.ok(!(await bucket.has(key)));
  const young = `${organizationId}/${'0'.repeat(32)}/${'0'.repeat(32)}`;
  await artifacts.put(young, Buffer.from('new'), 'text/plain');
  const output = new PassThrough();
  const errors = new PassThrough();
  const printed = Promise.all([text(output), text(errors)]);
  const words = ['files', 'reconcile', '--table', names.table, '--bucket', names.bucket, '--repair', '--json'];
  await runAdmin(words, { output, errors });
  for (const stream of [output, errors]) stream.end();
  const [json, problem] = await printed;
  assert.equal(problem, '');
  const found = Reported.parse(JSON.parse(json)).filter((row) => row.found !== '0');
  assert.deepEqual(
    found.map((row) => [row.problem, row.found, row.repaired]),
    [
      ['deleted', '1', '1'],
      ['young', '1', '0'],
    ],
  );
  for (const kept of [key, young]) assert.ok(await bucket.has(kept), `${kept} is gone`);
}
