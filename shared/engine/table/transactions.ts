/** Sends transactions: all writes or none. */
import { randomUUID } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Batches } from './batches.ts';
import { ENDED } from './ended.ts';
import type { TableKey } from './keys.ts';
import { expression } from './update.ts';
import { transactItem, type Write } from './writes.ts';

/**
 * Sends a transaction at `now`, in milliseconds. Returns false if a condition failed or another transaction conflicted.
 */
export const transactWrite = (to: Batches, writes: readonly Write[], now: number): Promise<boolean> =>
  send(
    to,
    writes.map((write) => transactItem(to.tableName, write, now)),
  );

/** Deletes the row if it still exists and has ended. */
export const removeEnded = (to: Batches, Key: TableKey, now: number): Promise<boolean> =>
  send(to, [{ Delete: { TableName: to.tableName, Key, ...expression(undefined, ENDED(now)) } }]);

async function send(
  { client, meter }: Batches,
  TransactItems: NonNullable<TransactWriteCommandInput['TransactItems']>,
): Promise<boolean> {
  try {
    // The token makes retries by the SDK idempotent.
    const request = { TransactItems, ReturnConsumedCapacity: 'TOTAL' as const, ClientRequestToken: randomUUID() };
    const answer = await client.send(new TransactWriteCommand(request));
    meter.write(answer.ConsumedCapacity);
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    meter.refused();
    if (error.CancellationReasons?.every(({ Code }) => EXPECTED.has(Code))) return false;
    throw error;
  }
}

const EXPECTED = new Set([undefined, 'None', 'ConditionalCheckFailed', 'TransactionConflict']);
