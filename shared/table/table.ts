/** The single table behind the entity vocabulary. With `batches.ts` and `services.ts`, all that knows the AWS SDK. */
import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { fromTyped, parameters, toTyped } from './attributes.ts';
import { despiteTransactions } from './back-off.ts';
import { batchGet, batchWrite } from './batches.ts';
import type { Entity, Span } from './entity.ts';
import { distinct, type Found, foundIn, type Lookup, lookup } from './found.ts';
import { Meter } from './meter.ts';
import type { Changes, Condition } from './update.ts';
import { type Delete, itemOf, type Put, transactItem, type Write } from './writes.ts';

/** A conditional write either happened, or met the item as it is (`undefined` where there is none). */
export type Outcome<Item> =
  | { readonly done: true; readonly item: Item }
  | { readonly done: false; readonly existing: Item | undefined };

export interface Rows<Item> {
  readonly rows: readonly { readonly sk: string; readonly item: Item }[];
  /** The last sort key read when the span goes on after it. */
  readonly lastRead: string | undefined;
}

export class Table {
  readonly meter = new Meter();
  readonly #client: DynamoDBClient;
  readonly #name: string;

  private constructor(client: DynamoDBClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  static connect(name: string): Table {
    return new Table(new DynamoDBClient({ maxAttempts: 5 }), name);
  }

  /** The same table with a meter of its own: one request, one meter. */
  metered(): Table {
    return new Table(this.#client, this.#name);
  }

  async get<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    key: Key,
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<Item | undefined> {
    const answer = await this.#client.send(
      new GetItemCommand({ ...this.#common, Key: toTyped(entity.key(key)), ConsistentRead: consistent }),
    );
    this.meter.read(answer.ConsumedCapacity);
    return answer.Item && entity.load(fromTyped(answer.Item));
  }

  /** In the order of `keys`; what does not exist is `undefined`. */
  async getMany<Key, Item extends Key>(
    entity: Entity<Key, Item>,
    keys: readonly Key[],
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<(Item | undefined)[]> {
    const wanted = keys.map((key) => lookup(entity, key));
    const found = await this.getTogether(wanted, { consistent });
    return wanted.map(found.of);
  }

  /** Items of several entities, in as few trips as batches take. */
  async getTogether(
    wanted: readonly Lookup<unknown>[],
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<Found> {
    const keys = distinct(wanted.map(({ key }) => key));
    return foundIn(await batchGet(this.#batches, keys, consistent));
  }

  /** One trip: at most `limit` rows, at most 1 MB. */
  async query<Key, Item extends Key>(
    entity: Pick<Entity<Key, Item>, 'load'>,
    span: Span,
    options: { limit?: number; newestFirst?: boolean; after?: string; consistent?: boolean } = {},
  ): Promise<Rows<Item>> {
    const answer = await this.#client.send(
      new QueryCommand({
        ...this.#common,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: toTyped({ ':pk': span.pk, ':from': span.from, ':to': span.to }),
        ScanIndexForward: !options.newestFirst,
        ConsistentRead: options.consistent ?? false,
        ...(options.limit === undefined ? {} : { Limit: options.limit }),
        ...(options.after === undefined ? {} : { ExclusiveStartKey: toTyped({ pk: span.pk, sk: options.after }) }),
      }),
    );
    this.meter.read(answer.ConsumedCapacity);
    const rows = (answer.Items ?? []).map(fromTyped).map((row) => ({ sk: String(row['sk']), item: entity.load(row) }));
    return { rows, lastRead: answer.LastEvaluatedKey?.['sk']?.S };
  }

  /** Every row of a span that the product itself bounds, in as many trips as it takes. */
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
      // Spans are inclusive: go on at the smallest string after the last one read.
      from = page.lastRead === undefined ? undefined : `${page.lastRead}\u0000`;
    }
    return items;
  }

  async put<Key, Item extends Key>(entity: Entity<Key, Item>, item: Item, when?: Condition): Promise<Outcome<Item>> {
    const write = { ...this.#common, Item: toTyped(itemOf(entity, item)), ...parameters(undefined, when) };
    return this.#conditional(entity, async () => {
      const answer = await this.#client.send(
        new PutItemCommand({ ...write, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
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
    const write = { ...this.#common, Key: toTyped(entity.key(key)), ...parameters(changes, when) };
    return this.#conditional(entity, async () => {
      const answer = await this.#client.send(
        new UpdateItemCommand({ ...write, ReturnValues: 'ALL_NEW', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      );
      this.meter.write(answer.ConsumedCapacity);
      return entity.load(fromTyped(answer.Attributes ?? {}));
    });
  }

  /** All or nothing. False when a condition did not hold or another transaction was in the way. */
  async transact(writes: readonly Write[]): Promise<boolean> {
    const TransactItems = writes.map((write) => transactItem(this.#name, write));
    try {
      const answer = await this.#client.send(
        new TransactWriteItemsCommand({
          TransactItems,
          ReturnConsumedCapacity: 'TOTAL',
          // Sent again by the SDK, it is the same transaction.
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

  /** Unconditional puts and deletes, each of which may be repeated without harm. */
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
