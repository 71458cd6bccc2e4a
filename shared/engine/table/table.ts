/** Reads and writes the single table in terms of entities. */

import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { makeSdkConfiguration } from '#shared/engine/sdk-connection.ts';
import { parseTypedValues } from './attributes.ts';
import { writeDespiteTransactions } from './back-off.ts';
import { batchGet, batchWrite } from './batches.ts';
import { hasEnded, ignoreEndedRow, isEnded, isMetWithoutRow, refuseEndedRow } from './ended.ts';
import { type Attributes, type Entity, type Span, toKeyCondition } from './entity.ts';
import {
  deduplicateKeys,
  type Lookup,
  type LookupResult,
  makeLookup,
  makeLookupResult,
  type QueryOptions,
} from './found.ts';
import { TABLE_LIMITS } from './limits.ts';
import { Meter } from './meter.ts';
import { sendTransaction } from './transaction.ts';
import { buildExpression, buildFilter, type Changes, type Condition } from './update.ts';
import { buildItem, type Delete, type Put, toTransactItem, type Write } from './writes.ts';

/** If the condition failed, `item` is the item that the table contains, if any. */
export type WriteOutcome<Item> =
  | { readonly done: true; readonly item: Item }
  | { readonly done: false; readonly item: Item | undefined };

export interface Rows<Item> {
  readonly rows: readonly { readonly sk: string; readonly item: Item }[];
  /** The rows that were read, including those that a filter or their end left out. */
  readonly read: number;
  /** The last sort key that was read, if more rows may follow it. */
  readonly lastRead: string | undefined;
}

export interface WithTable {
  readonly table: Table;
}

/** Hides rows that have ended but are not deleted yet. */
export class Table {
  readonly meter = new Meter();
  /** A restored table has another name. */
  readonly name: string;
  readonly #client: DynamoDBDocumentClient;
  readonly #now: () => number;

  /** `now` returns epoch milliseconds. */
  constructor(name: string, now: () => number, client = makeDocumentClient()) {
    this.name = name;
    this.#now = now;
    this.#client = client;
  }

  /** The same table with a separate meter, for the capacity that one request consumes. */
  metered(): Table {
    return new Table(this.name, this.#now, this.#client);
  }

  async get<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    key: Key,
    { consistent = false }: Pick<QueryOptions, 'consistent'> = {},
  ): Promise<Item | undefined> {
    const read = { ...this.#common, Key: entity.key(key), ConsistentRead: consistent };
    const answer = await this.#client.send(new GetCommand(read));
    this.meter.read(answer.ConsumedCapacity);
    return this.#loaded(entity, answer.Item);
  }

  /** In the order of `keys`. A missing item is `undefined`. */
  async getMany<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    keys: readonly Key[],
    options: Pick<QueryOptions, 'consistent'> = {},
  ): Promise<(Item | undefined)[]> {
    const lookups = keys.map((key) => makeLookup(entity, key));
    const result = await this.getTogether(lookups, options);
    return lookups.map(result.of);
  }

  /** In as few round trips as possible. */
  async getTogether(
    lookups: readonly Lookup<unknown>[],
    { consistent = false }: Pick<QueryOptions, 'consistent'> = {},
  ): Promise<LookupResult> {
    const keys = deduplicateKeys(lookups.map(({ key }) => key));
    const rows = await batchGet(this.#batches, keys, consistent);
    return makeLookupResult(rows.filter((row) => !hasEnded(row, this.#now())));
  }

  /** Reads at most `limit` rows and at most 1 MB, in one round trip. */
  async query<Key, Item extends Key>(
    entity: Pick<Entity<Key, Item>, 'load'>,
    span: Span,
    options: QueryOptions = {},
  ): Promise<Rows<Item>> {
    if (span.from === '') throw new Error('DynamoDB refuses an empty sort key in a query. Use getPartitionSpan()');
    const { ExpressionAttributeValues, ...keyCondition } = toKeyCondition(span);
    const filter = options.filter && buildFilter(options.filter);
    const answer = await this.#client.send(
      new QueryCommand({
        ...this.#common,
        ...keyCondition,
        ...filter,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ...filter?.ExpressionAttributeValues },
        ScanIndexForward: !options.newestFirst,
        ConsistentRead: options.consistent ?? false,
        Limit: options.limit,
        ExclusiveStartKey: options.after === undefined ? undefined : { pk: span.pk, sk: options.after },
      }),
    );
    this.meter.read(answer.ConsumedCapacity);
    const items = (answer.Items ?? []).filter((row) => options.ended || !hasEnded(row, this.#now()));
    const rows = items.map((row) => ({ sk: String(row['sk']), item: entity.load(row) }));
    const lastRead = answer.LastEvaluatedKey && String(answer.LastEvaluatedKey['sk']);
    return { rows, read: answer.ScannedCount ?? 0, lastRead };
  }

  /** In as many round trips as needed. Use it only for spans whose size is limited. */
  async queryAll<Key, Item extends Key>(
    entity: Pick<Entity<Key, Item>, 'load'>,
    span: Span,
    options: Pick<QueryOptions, 'consistent' | 'ended'> = {},
  ): Promise<Item[]> {
    const items: Item[] = [];
    let from: string | undefined = span.from;
    while (from !== undefined) {
      const page: Rows<Item> = await this.query(entity, { ...span, from }, options);
      items.push(...page.rows.map(({ item }) => item));
      // Spans are inclusive, so continue at the smallest string that sorts after the last sort key that was read.
      from = page.lastRead === undefined ? undefined : `${page.lastRead}\u0000`;
    }
    return items;
  }

  async put<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    item: Item,
    when?: Condition,
  ): Promise<WriteOutcome<Item>> {
    const condition = when && ignoreEndedRow(when, this.#now());
    const write = { ...this.#common, ...OLD, Item: buildItem(entity, item), ...buildExpression(undefined, condition) };
    return this.#conditional(entity, async () => {
      const answer = await this.#client.send(new PutCommand(write));
      this.meter.write(answer.ConsumedCapacity);
      return item;
    });
  }

  /** Returns the item as it is then, or with `returns: 'ALL_OLD'` as it was before. */
  async update<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    key: Key,
    changes: Changes,
    when?: Condition,
    { returns = 'ALL_NEW' }: { readonly returns?: 'ALL_NEW' | 'ALL_OLD' } = {},
  ): Promise<WriteOutcome<Item>> {
    const Key = entity.key(key);
    const write = { ...this.#common, ...OLD, Key, ...buildExpression(changes, refuseEndedRow(when, this.#now())) };
    const outcome = await this.#conditional(entity, async () => {
      const answer = await this.#client.send(new UpdateCommand({ ...write, ReturnValues: returns }));
      this.meter.write(answer.ConsumedCapacity);
      return entity.load(answer.Attributes ?? {});
    });
    if (outcome.done || outcome.item || !isMetWithoutRow(when)) return outcome;
    // The condition would hold for a missing row, so it failed because of an ended row that still exists. Delete that
    // row first.
    await sendTransaction(this.#batches, [
      { Delete: { TableName: this.name, Key, ...buildExpression(undefined, isEnded(this.#now())) } },
    ]);
    return this.update(entity, key, changes, when, { returns });
  }

  /** Writes all rows or none. Returns false if a condition failed or another transaction conflicted. */
  transact(writes: readonly Write[]): Promise<boolean> {
    const now = this.#now();
    return sendTransaction(
      this.#batches,
      writes.map((write) => toTransactItem(this.name, write, now)),
    );
  }

  /** Writes any number of rows with unconditional puts and deletes. The writes are idempotent but not atomic. */
  async writeMany(writes: readonly (Put | Delete)[]): Promise<void> {
    await batchWrite(this.#batches, writes);
  }

  async #conditional<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    write: () => Promise<Item>,
  ): Promise<WriteOutcome<Item>> {
    try {
      return { done: true, item: await writeDespiteTransactions(write) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      this.meter.refused();
      return { done: false, item: this.#loaded(entity, error.Item && parseTypedValues(error.Item)) };
    }
  }

  #loaded<Key, Item extends Key>({ load }: Entity<Key, Item>, row: Attributes | undefined): Item | undefined {
    return row && !hasEnded(row, this.#now()) ? load(row) : undefined;
  }

  get #common() {
    return { TableName: this.name, ReturnConsumedCapacity: 'TOTAL' as const };
  }

  get #batches() {
    return { client: this.#client, tableName: this.name, meter: this.meter };
  }
}

const OLD = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/**
 * Writes omit `undefined` members at every depth. Without `callMilliseconds`, a lost call would hang until the
 * function is killed. With it, the call is retried.
 */
export function makeDocumentClient(callMilliseconds: number = TABLE_LIMITS.callMilliseconds): DynamoDBDocumentClient {
  const { connectMilliseconds, callAttempts: attempts } = TABLE_LIMITS;
  const client = new DynamoDBClient(makeSdkConfiguration({ attempts, connectMilliseconds, callMilliseconds }));
  // This middleware of the AWS SDK copies each request and response for a logger, even if no logger is set.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
