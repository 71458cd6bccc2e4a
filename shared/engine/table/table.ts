/** The single table, in terms of entities. */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { fromTyped } from './attributes.ts';
import { despiteTransactions } from './back-off.ts';
import { batchGet, batchWrite } from './batches.ts';
import { documentClient } from './client.ts';
import type { Entity, Span } from './entity.ts';
import { distinct, type Found, foundIn, type Lookup, lookup } from './found.ts';
import { Meter } from './meter.ts';
import { type Changes, type Condition, expression } from './update.ts';
import { type Delete, itemOf, type Put, transactItem, type Write } from './writes.ts';

/** A conditional write either succeeded, or returns the current item (`undefined` if there is none). */
export type Outcome<Item> =
  | { readonly done: true; readonly item: Item }
  | { readonly done: false; readonly existing: Item | undefined };

export interface Rows<Item> {
  readonly rows: readonly { readonly sk: string; readonly item: Item }[];
  /** The last sort key read, if the span continues after it. */
  readonly lastRead: string | undefined;
}

export class Table {
  readonly meter = new Meter();
  readonly #client: DynamoDBDocumentClient;
  readonly #name: string;

  private constructor(client: DynamoDBDocumentClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  static connect(name: string): Table {
    return new Table(documentClient(), name);
  }

  /** The same table with a separate meter, for one request. */
  metered(): Table {
    return new Table(this.#client, this.#name);
  }

  async get<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    key: Key,
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<Item | undefined> {
    const answer = await this.#client.send(
      new GetCommand({ ...this.#common, Key: entity.key(key), ConsistentRead: consistent }),
    );
    this.meter.read(answer.ConsumedCapacity);
    return answer.Item && entity.load(answer.Item);
  }

  /** In the order of `keys`; `undefined` for a missing item. */
  async getMany<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    keys: readonly Key[],
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<(Item | undefined)[]> {
    const wanted = keys.map((key) => lookup(entity, key));
    const found = await this.getTogether(wanted, { consistent });
    return wanted.map(found.of);
  }

  /** Items of several entities, in as few round trips as possible. */
  async getTogether(
    wanted: readonly Lookup<unknown>[],
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<Found> {
    const keys = distinct(wanted.map(({ key }) => key));
    return foundIn(await batchGet(this.#batches, keys, consistent));
  }

  /** One trip: at most `limit` rows and 1 MB. */
  async query<Key, Item extends Key>(
    entity: Pick<Entity<Key, Item>, 'load'>,
    span: Span,
    options: { limit?: number; newestFirst?: boolean; after?: string; consistent?: boolean } = {},
  ): Promise<Rows<Item>> {
    if (span.from === '') throw new Error('DynamoDB refuses an empty sort key in a query. Use wholePartition()');
    const answer = await this.#client.send(
      new QueryCommand({
        ...this.#common,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': span.pk, ':from': span.from, ':to': span.to },
        ScanIndexForward: !options.newestFirst,
        ConsistentRead: options.consistent ?? false,
        ...(options.limit === undefined ? {} : { Limit: options.limit }),
        ...(options.after === undefined ? {} : { ExclusiveStartKey: { pk: span.pk, sk: options.after } }),
      }),
    );
    this.meter.read(answer.ConsumedCapacity);
    const rows = (answer.Items ?? []).map((row) => ({ sk: String(row['sk']), item: entity.load(row) }));
    return { rows, lastRead: answer.LastEvaluatedKey && String(answer.LastEvaluatedKey['sk']) };
  }

  /** Reads a whole span, whose size the product bounds, in as many trips as needed. */
  async queryAll<Key, Item extends Key>(
    entity: Pick<Entity<Key, Item>, 'load'>,
    span: Span,
    options: { consistent?: boolean } = {},
  ): Promise<Item[]> {
    const items: Item[] = [];
    let from: string | undefined = span.from;
    while (from !== undefined) {
      const page: Rows<Item> = await this.query(entity, { ...span, from }, options);
      items.push(...page.rows.map(({ item }) => item));
      // Spans are inclusive. Continue at the smallest string after the last one read.
      from = page.lastRead === undefined ? undefined : `${page.lastRead}\u0000`;
    }
    return items;
  }

  async put<Key, Item extends Key>(entity: Entity<Key, Item>, item: Item, when?: Condition): Promise<Outcome<Item>> {
    const write = { ...this.#common, Item: itemOf(entity, item), ...expression(undefined, when) };
    return this.#conditional(entity, async () => {
      const answer = await this.#client.send(
        new PutCommand({ ...write, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      );
      this.meter.write(answer.ConsumedCapacity);
      return item;
    });
  }

  async update<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    key: Key,
    changes: Changes,
    when?: Condition,
  ): Promise<Outcome<Item>> {
    const write = { ...this.#common, Key: entity.key(key), ...expression(changes, when) };
    return this.#conditional(entity, async () => {
      const answer = await this.#client.send(
        new UpdateCommand({ ...write, ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      );
      this.meter.write(answer.ConsumedCapacity);
      return entity.load(answer.Attributes ?? {});
    });
  }

  /** All or nothing. Returns false if a condition failed or another transaction conflicted. */
  async transact(writes: readonly Write[]): Promise<boolean> {
    const TransactItems = writes.map((write) => transactItem(this.#name, write));
    try {
      const answer = await this.#client.send(
        new TransactWriteCommand({
          TransactItems,
          ReturnConsumedCapacity: 'TOTAL',
          // Makes retries by the SDK idempotent.
          ClientRequestToken: randomUUID(),
        }),
      );
      this.meter.write(answer.ConsumedCapacity);
      return true;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      this.meter.refused();
      if (error.CancellationReasons?.every(({ Code }) => EXPECTED.has(Code))) return false;
      throw error;
    }
  }

  /** Unconditional puts and deletes, which are idempotent. */
  async writeMany(writes: readonly (Put | Delete)[]): Promise<void> {
    await batchWrite(this.#batches, writes);
  }

  async #conditional<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    write: () => Promise<Item>,
  ): Promise<Outcome<Item>> {
    try {
      return { done: true, item: await despiteTransactions(write) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      this.meter.refused();
      return { done: false, existing: error.Item && entity.load(fromTyped(error.Item)) };
    }
  }

  get #common() {
    return { TableName: this.#name, ReturnConsumedCapacity: 'TOTAL' as const };
  }

  get #batches() {
    return { client: this.#client, tableName: this.#name, meter: this.meter };
  }
}

const EXPECTED = new Set([undefined, 'None', 'ConditionalCheckFailed', 'TransactionConflict']);
