/** Batch reads and writes. DynamoDB may leave part of a batch unprocessed, which is then sent again. */

import { isDeepStrictEqual } from 'node:util';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { waitBeforeAttempt } from './back-off.ts';
import type { Attributes } from './entity.ts';
import type { TableKey } from './keys.ts';
import type { Meter } from './meter.ts';
import { type Delete, getRowKey, type Put, toBatchRequest } from './writes.ts';

const BATCH_GET_ITEMS = 100;
const BATCH_WRITE_ITEMS = 25;
const BATCHES_AT_ONCE = 8;
const ATTEMPTS = 8;

export interface Batches {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly meter: Meter;
}

export async function batchGet(to: Batches, keys: readonly TableKey[], consistent: boolean): Promise<Attributes[]> {
  const rounds = splitIntoChunks(keys, BATCH_GET_ITEMS).map((round) => getRound(to, round, consistent));
  return (await Promise.all(rounds)).flat();
}

type BatchKeys = NonNullable<NonNullable<BatchGetCommandInput['RequestItems']>[string]['Keys']>;
type BatchRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

async function getRound({ client, tableName, meter }: Batches, keys: readonly TableKey[], ConsistentRead: boolean) {
  const items: Attributes[] = [];
  let left: BatchKeys = [...keys];
  for (let attempt = 0; left.length > 0; attempt += 1) {
    await beginRound(attempt);
    const RequestItems = { [tableName]: { Keys: left, ConsistentRead } };
    const answer = await client.send(new BatchGetCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' }));
    meter.read(answer.ConsumedCapacity);
    items.push(...(answer.Responses?.[tableName] ?? []));
    left = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return items;
}

export async function batchWrite(to: Batches, writes: readonly (Put | Delete)[]): Promise<void> {
  const requests = mergeEqualWrites(writes).map(toBatchRequest);
  for (const round of splitIntoChunks(requests, BATCH_WRITE_ITEMS * BATCHES_AT_ONCE)) {
    await Promise.all(splitIntoChunks(round, BATCH_WRITE_ITEMS).map((batch) => writeRound(to, batch)));
  }
}

/**
 * Merges the writes of a batch. DynamoDB refuses a batch that names an item twice. Identical writes of an item are
 * merged. Different writes of an item are an error, because their order would be undefined.
 */
function mergeEqualWrites(writes: readonly (Put | Delete)[]): (Put | Delete)[] {
  const byKey = new Map<string, Put | Delete>();
  for (const write of writes) {
    const { pk, sk } = write.kind === 'put' ? getRowKey(write.item) : write.key;
    const name = JSON.stringify([pk, sk]);
    const earlierWrite = byKey.get(name);
    if (earlierWrite && !isDeepStrictEqual(earlierWrite, write)) {
      throw new Error(`One batch contains two different writes to the item ${name}. Send them one after the other`);
    }
    byKey.set(name, write);
  }
  return [...byKey.values()];
}

async function beginRound(attempt: number): Promise<void> {
  if (attempt > ATTEMPTS)
    throw new Error(`DynamoDB did not process part of a batch, even after ${ATTEMPTS} retries: the table is throttled`);
  await waitBeforeAttempt(attempt);
}

async function writeRound({ client, tableName, meter }: Batches, requests: BatchRequests): Promise<void> {
  let left = requests;
  for (let attempt = 0; left.length > 0; attempt += 1) {
    await beginRound(attempt);
    const RequestItems = { [tableName]: left };
    const answer = await client.send(new BatchWriteCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' }));
    meter.write(answer.ConsumedCapacity);
    left = answer.UnprocessedItems?.[tableName] ?? [];
  }
}
