/** Sends transactions: all writes or none. */
import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { writeDespite } from './back-off.ts';
import type { Batches } from './batches.ts';
import { ENDED } from './ended.ts';
import type { TableKey } from './keys.ts';
import { expression } from './update.ts';
import { transactItem, type Write } from './writes.ts';

/** Returns false if a condition failed or another transaction conflicted. `now` is in epoch milliseconds. */
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
    const answer = await writeDespite(passes, () => client.send(new TransactWriteCommand(request)));
    meter.write(answer.ConsumedCapacity);
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    meter.refused();
    const codes = error.CancellationReasons?.map(({ Code }) => Code) ?? [];
    if (codes.includes('ConditionalCheckFailed') || codes.includes('TransactionConflict')) return false;
    throw error;
  }
}

/**
 * Whether an error is transient. Throttling of one item cancels the whole transaction, which is worth a retry unless a
 * condition failed as well. `TransactionInProgress` means that an earlier attempt got no response in time. A retry with
 * the same token then gets the result of that attempt.
 */
const passes = (error: unknown): boolean => {
  if (error instanceof TransactionInProgressException) return true;
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const codes = new Set(reasons.map(({ Code }) => Code));
  return THROTTLED.some((code) => codes.has(code)) && !codes.has('ConditionalCheckFailed');
};

const THROTTLED = ['ThrottlingError', 'ProvisionedThroughputExceeded'];
