/** Batches: DynamoDB takes them in bounded pieces and may hand part of a piece back, which has to be sent again. */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { fromTyped, toTyped } from './attributes.ts';
import { backOff } from './back-off.ts';
import type { Attributes } from './entity.ts';
import type { TableKey } from './keys.ts';
import type { Meter } from './meter.ts';
import { batchRequest, type Delete, type Put } from './writes.ts';

const BATCH_GET_ITEMS = 100;
const BATCH_WRITE_ITEMS = 25;
const BATCHES_AT_ONCE = 8;
const ATTEMPTS = 8;

export interface Batches {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly meter: Meter;
}

export async function batchGet(to: Batches, keys: readonly TableKey[], consistent: boolean): Promise<Attributes[]> {
  const rounds = pieces(keys, BATCH_GET_ITEMS).map((round) => getRound(to, round, consistent));
  return (await Promise.all(rounds)).flat();
}

async function getRound({ client, tableName, meter }: Batches, keys: readonly TableKey[], ConsistentRead: boolean) {
  const items: Attributes[] = [];
  let left = keys.map(toTyped);
  for (let attempt = 0; left.length > 0; attempt += 1) {
    await nextRound(attempt);
    const RequestItems = { [tableName]: { Keys: left, ConsistentRead } };
    const answer = await client.send(new BatchGetItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' }));
    meter.read(answer.ConsumedCapacity);
    items.push(...(answer.Responses?.[tableName] ?? []).map(fromTyped));
    left = answer.UnprocessedKeys?.[tableName]?.Keys ?? [];
  }
  return items;
}

export async function batchWrite(to: Batches, writes: readonly (Put | Delete)[]): Promise<void> {
  const requests = writes.map(batchRequest);
  for (const round of pieces(requests, BATCH_WRITE_ITEMS * BATCHES_AT_ONCE)) {
    await Promise.all(pieces(round, BATCH_WRITE_ITEMS).map((batch) => writeRound(to, batch)));
  }
}

async function nextRound(attempt: number): Promise<void> {
  if (attempt > ATTEMPTS) throw new Error(`The table left a batch unprocessed ${ATTEMPTS} times: it is throttled`);
  await backOff(attempt);
}

async function writeRound({ client, tableName, meter }: Batches, requests: WriteRequest[]): Promise<void> {
  let left = requests;
  for (let attempt = 0; left.length > 0; attempt += 1) {
    await nextRound(attempt);
    const RequestItems = { [tableName]: left };
    const answer = await client.send(new BatchWriteItemCommand({ RequestItems, ReturnConsumedCapacity: 'TOTAL' }));
    meter.write(answer.ConsumedCapacity);
    left = answer.UnprocessedItems?.[tableName] ?? [];
  }
}

function pieces<Element>(all: readonly Element[], size: number): Element[][] {
  const result: Element[][] = [];
  for (let start = 0; start < all.length; start += size) result.push(all.slice(start, start + size));
  return result;
}
