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
import { untilTrue } from './wait.ts';

export interface Restore {
  readonly environment: Environment;
  /** The table that the stack uses. */
  readonly source: string;
  /** The name of the new table. */
  readonly target: string;
  readonly at: Date;
}

export class RestoredTable {
  readonly #client = new DynamoDBClient({});
  readonly #restore: Restore;

  constructor(restore: Restore) {
    this.#restore = restore;
  }

  /**
   * Checks whether the table can be restored. Throws if point-in-time recovery is off, if the time is out of range, or
   * if a table with the new name exists that belongs to another environment or was restored to another time. Changes
   * nothing.
   */
  async check(): Promise<void> {
    const { source, target, at, environment } = this.#restore;
    const there = await this.#describe();
    if (!there) return this.#checkRecovery();
    const { env } = await this.#tagsOf(there);
    if (env !== undefined && env !== environment.name)
      throw new Error(
        `The table ${target} has the tag env=${env}, so it belongs to another environment. Choose another name with --table`,
      );
    const restoredTo = there.RestoreSummary?.RestoreDateTime;
    if (source === target || restoredTo === undefined || restoredTo.getTime() === at.getTime()) return;
    throw new Error(
      `The table ${target} already exists, but it was restored to another time, ${restoredTo.toISOString()}. Choose another name with --table`,
    );
  }

  async #checkRecovery(): Promise<void> {
    const { source, at } = this.#restore;
    const recovery = await this.#recovery(source);
    const { EarliestRestorableDateTime: from, LatestRestorableDateTime: to } = recovery;
    if (recovery.PointInTimeRecoveryStatus !== 'ENABLED')
      throw new Error(`The table ${source} does not have point-in-time recovery enabled, so it cannot be restored`);
    // Right after point-in-time recovery was enabled, there is no time window yet. In that case AWS itself rejects the
    // restore.
    if (from && to && from < to && (at < from || at > to))
      throw new Error(
        `--at must be between ${from.toISOString()} and ${to.toISOString()}. AWS cannot restore the table to any other time`,
      );
  }

  /** Restores the source table under the new name, unless the new table exists, and waits until it is active. */
  async create(): Promise<void> {
    const { source, target, at } = this.#restore;
    const names = { SourceTableName: source, TargetTableName: target };
    if (!(await this.#describe()))
      await this.#client.send(new RestoreTableToPointInTimeCommand({ ...names, RestoreDateTime: at }));
    await this.#untilActive();
  }

  /** Applies the missing settings. DynamoDB accepts only one change of a table at a time. */
  async configure(): Promise<void> {
    const { keepsData, tableMaximum, pointInTimeRecovery } = this.#restore.environment;
    const { readUnits: MaxReadRequestUnits, writeUnits: MaxWriteRequestUnits } = tableMaximum;
    const there = await this.#untilActive();
    if (there.StreamSpecification?.StreamViewType !== 'NEW_AND_OLD_IMAGES')
      await this.#update({ StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
    const { MaxReadRequestUnits: reads, MaxWriteRequestUnits: writes } = there.OnDemandThroughput ?? {};
    if (reads !== MaxReadRequestUnits || writes !== MaxWriteRequestUnits)
      await this.#update({ OnDemandThroughput: { MaxReadRequestUnits, MaxWriteRequestUnits } });
    await this.#expire();
    if (pointInTimeRecovery) await this.#recover();
    await this.#tag(there);
    if (there.DeletionProtectionEnabled !== keepsData) await this.#update({ DeletionProtectionEnabled: keepsData });
  }

  /** The ARN of the new table's stream. */
  async stream(): Promise<string> {
    const arn = (await this.#describe())?.LatestStreamArn;
    if (arn === undefined) throw new Error(`The table ${this.#restore.target} has no stream`);
    return arn;
  }

  async #expire(): Promise<void> {
    const TableName = this.#restore.target;
    const { TimeToLiveDescription } = await this.#client.send(new DescribeTimeToLiveCommand({ TableName }));
    if (TimeToLiveDescription?.TimeToLiveStatus?.startsWith('ENABL')) return;
    const TimeToLiveSpecification = { AttributeName: TABLE.expiresAt, Enabled: true };
    await this.#client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  }

  async #recover(): Promise<void> {
    const TableName = this.#restore.target;
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
    const update = new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification });
    await untilTrue(async () => {
      if ((await this.#recovery(TableName)).PointInTimeRecoveryStatus === 'ENABLED') return true;
      try {
        await this.#client.send(update);
        return true;
      } catch (error) {
        // DynamoDB needs some minutes before it can enable point-in-time recovery for a new table.
        if (error instanceof ContinuousBackupsUnavailableException) return false;
        throw error;
      }
    }, 'backups of the table');
  }

  /** Copies the tags of the source table, and always sets the tag `env`. */
  async #tag(there: TableDescription): Promise<void> {
    const { source, target, environment } = this.#restore;
    const before =
      source === target ? undefined : await this.#client.send(new DescribeTableCommand({ TableName: source }));
    const tags = { ...(before?.Table && (await this.#tagsOf(before.Table))), env: environment.name };
    const Tags = Object.entries(tags)
      .filter(([name]) => !name.startsWith('aws:'))
      .map(([Key, Value]) => ({ Key, Value }));
    await this.#client.send(new TagResourceCommand({ ResourceArn: there.TableArn, Tags }));
  }

  async #tagsOf({ TableArn }: TableDescription): Promise<Record<string, string>> {
    const { Tags = [] } = await this.#client.send(new ListTagsOfResourceCommand({ ResourceArn: TableArn }));
    return Object.fromEntries(Tags.map(({ Key = '', Value = '' }) => [Key, Value]));
  }

  async #recovery(TableName: string) {
    const { ContinuousBackupsDescription } = await this.#client.send(
      new DescribeContinuousBackupsCommand({ TableName }),
    );
    return ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  }

  async #update(change: Omit<UpdateTableCommandInput, 'TableName'>): Promise<void> {
    await this.#client.send(new UpdateTableCommand({ TableName: this.#restore.target, ...change }));
    await this.#untilActive();
  }

  async #untilActive(): Promise<TableDescription> {
    let there: TableDescription | undefined;
    await untilTrue(async () => {
      there = await this.#describe();
      return there?.TableStatus === 'ACTIVE';
    }, `the table ${this.#restore.target}`);
    return there ?? {};
  }

  /** Describes the new table. `undefined` if it does not exist. */
  async #describe(): Promise<TableDescription | undefined> {
    try {
      return (await this.#client.send(new DescribeTableCommand({ TableName: this.#restore.target }))).Table;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }
}
