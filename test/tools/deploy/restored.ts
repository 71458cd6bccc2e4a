/** Restores a deployed table and its files, interrupted once, and checks what then works. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, UpdateContinuousBackupsCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { administer } from '#infra/cli/administer.ts';
import { Bucket } from '#infra/cli/bucket.ts';
import { outputsOf } from '#infra/cli/stack-outputs.ts';
import type { Services } from '#shared/services.ts';
import type { Cdk, EnvironmentName } from './cdk.ts';

const PROGRAM = 'infra/operate/restore.ts';

interface Restore {
  readonly cdk: Cdk;
  readonly environment: EnvironmentName;
  readonly at: string;
}

/** MiniStack leaves recovery off, although the template says on. */
export async function enableRecovery(TableName: string): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await new DynamoDBClient({}).send(
    new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }),
  );
}

/** Stops before the deployment, like an interruption. The traffic is then paused. */
export async function restoreHalf({ cdk, environment, at }: Restore, origin: string): Promise<void> {
  await cdk.operate(PROGRAM, environment, '--at', at, '--without-deployment');
  const { status } = await fetch(`${origin}/health`);
  assert.equal(status, 429, 'Requests are answered during a restore');
}

/** Continues. Returns the name of the restored table, which the stack uses. */
export async function restoreRest({ cdk, environment, at }: Restore, origin: string): Promise<string> {
  await cdk.operate(PROGRAM, environment, '--at', at);
  const { TableName } = await outputsOf(environment);
  assert.match(TableName, new RegExp(`^rundown-${environment}-restored-`));
  assert.equal((await fetch(`${origin}/health`)).status, 200);
  return TableName;
}

const Reported = z.array(z.object({ problem: z.string(), found: z.string(), repaired: z.string() }));

/** A deleted file of the organization comes back, and a new object without a row stays. */
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
  const [output, errors] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(output), text(errors)]);
  const words = ['files', 'reconcile', '--table', names.table, '--bucket', names.bucket, '--repair', '--json'];
  await administer(words, { output, errors });
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
