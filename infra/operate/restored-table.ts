/** Restores a table to a point in time, and applies the settings that AWS does not restore. Each call is idempotent. */
import {
  ContinuousBackupsUnavailableException,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Environment } from '#infra/build/environments.ts';
import { TABLE } from '#shared/engine/table/schema.ts';
import { waitUntilTrue } from './wait.ts';

export interface Restore {
  /** With the limits of the deployment's settings. */
  readonly environment: Environment;
  /** The setting `kmsKey`. */
  readonly kmsKey?: string | undefined;
  /** The table that the stack uses. */
  readonly source: string;
  readonly target: string;
  readonly at: Date;
}

const client = new DynamoDBClient({});

/**
 * Changes nothing. Throws if recovery is off, if the time is out of range, or if a table with the new name exists that
 * belongs to another environment or was restored to another time.
 */
export async function checkTable({ source, target, at, environment }: Restore): Promise<void> {
  const description = await describeTable(target);
  if (!description) return checkRecovery(source, at);
  const { env } = await readTags(description);
  if (env !== undefined && env !== environment.name)
    throw new Error(
      `The table ${target} has the tag env=${env}, so it belongs to another environment. Choose another name with --table`,
    );
  const restoredTo = description.RestoreSummary?.RestoreDateTime;
  if (source === target || restoredTo === undefined || restoredTo.getTime() === at.getTime()) return;
  throw new Error(
    `The table ${target} already exists, but it was restored to another time, ${restoredTo.toISOString()}. Choose another name with --table`,
  );
}

async function checkRecovery(source: string, at: Date): Promise<void> {
  const recovery = await readRecovery(source);
  const { EarliestRestorableDateTime: from, LatestRestorableDateTime: to } = recovery;
  if (recovery.PointInTimeRecoveryStatus !== 'ENABLED')
    throw new Error(`The table ${source} does not have point-in-time recovery enabled, so it cannot be restored`);
  // Right after recovery was enabled, there is no time window yet. Then AWS itself rejects the restore.
  if (from && to && from < to && (at < from || at > to))
    throw new Error(
      `--at must be between ${from.toISOString()} and ${to.toISOString()}. AWS cannot restore the table to any other time`,
    );
}

/** Waits until the new table is active. */
export async function createTable({ source, target, at, kmsKey }: Restore): Promise<void> {
  const names = { SourceTableName: source, TargetTableName: target };
  if (!(await describeTable(target))) {
    // Named again, so that the new table has the operator's key whatever the default of AWS is.
    const key = kmsKey ?? (await describeTable(source))?.SSEDescription?.KMSMasterKeyArn;
    const encryption = key === undefined ? {} : { SSESpecificationOverride: useKey(key) };
    await client.send(new RestoreTableToPointInTimeCommand({ ...names, RestoreDateTime: at, ...encryption }));
  }
  await waitUntilActive(target);
}

const useKey = (key: string) => ({ Enabled: true, SSEType: 'KMS', KMSMasterKeyId: key }) as const;

/** DynamoDB accepts only one change of a table at a time. A copy from a vault of AWS Backup lacks the key, too. */
export async function configureTable(restore: Restore): Promise<void> {
  const { target, environment, kmsKey } = restore;
  const { keepsData, tableMaximum, pointInTimeRecovery } = environment;
  const { readUnits: MaxReadRequestUnits, writeUnits: MaxWriteRequestUnits } = tableMaximum;
  const description = await waitUntilActive(target);
  if (description.StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES')
    await updateTable(target, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  const { MaxReadRequestUnits: reads, MaxWriteRequestUnits: writes } = description.OnDemandThroughput ?? {};
  if (reads !== MaxReadRequestUnits || writes !== MaxWriteRequestUnits)
    await updateTable(target, { OnDemandThroughput: { MaxReadRequestUnits, MaxWriteRequestUnits } });
  if (kmsKey !== undefined && description.SSEDescription?.KMSMasterKeyArn !== kmsKey)
    await updateTable(target, { SSESpecification: useKey(kmsKey) });
  await enableExpiry(target);
  if (pointInTimeRecovery) await enableRecovery(target);
  await copyTags(description, restore);
  if (description.DeletionProtectionEnabled !== keepsData)
    await updateTable(target, { DeletionProtectionEnabled: keepsData });
}

export async function readStreamArn(table: string): Promise<string> {
  const arn = (await describeTable(table))?.LatestStreamArn;
  if (arn === undefined) throw new Error(`The table ${table} has no stream`);
  return arn;
}

async function enableExpiry(TableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) return;
  const TimeToLiveSpecification = { AttributeName: TABLE.expiresAt, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}

async function enableRecovery(TableName: string): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await waitUntilTrue(async () => {
    if ((await readRecovery(TableName)).PointInTimeRecoveryStatus === 'ENABLED') return true;
    try {
      await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
      return true;
    } catch (error) {
      // DynamoDB needs some minutes before it can enable point-in-time recovery for a new table.
      if (error instanceof ContinuousBackupsUnavailableException) return false;
      throw error;
    }
  }, 'backups of the table');
}

/** Copies the tags of the source table, and always sets the tag `env`. */
async function copyTags({ TableArn }: TableDescription, { source, target, environment }: Restore): Promise<void> {
  const before = source === target ? undefined : await client.send(new DescribeTableCommand({ TableName: source }));
  const tags = { ...(before?.Table && (await readTags(before.Table))), env: environment.name };
  const Tags = Object.entries(tags)
    .filter(([name]) => !name.startsWith('aws:'))
    .map(([Key, Value]) => ({ Key, Value }));
  await client.send(new TagResourceCommand({ ResourceArn: TableArn, Tags }));
}

async function readTags({ TableArn }: TableDescription): Promise<Record<string, string>> {
  const { Tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: TableArn }));
  return Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
}

async function readRecovery(TableName: string) {
  const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
  return ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
}

async function updateTable(TableName: string, change: Omit<UpdateTableCommandInput, 'TableName'>): Promise<void> {
  await client.send(new UpdateTableCommand({ TableName, ...change }));
  await waitUntilActive(TableName);
}

async function waitUntilActive(table: string): Promise<TableDescription> {
  let description: TableDescription | undefined;
  await waitUntilTrue(async () => {
    description = await describeTable(table);
    return description?.TableStatus === 'ACTIVE';
  }, `the table ${table}`);
  return description ?? {};
}

async function describeTable(TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
