/** Sends a transaction, and repeats it after transient errors. */
import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { writeDespite } from './back-off.ts';
import type { Batches } from './batches.ts';

/** Returns false if a condition failed or another transaction conflicted. */
export async function sendTransaction(
  { client, meter }: Batches,
  TransactItems: NonNullable<TransactWriteCommandInput['TransactItems']>,
): Promise<boolean> {
  try {
    // The token makes retries by the AWS SDK idempotent.
    const request = { TransactItems, ReturnConsumedCapacity: 'TOTAL' as const, ClientRequestToken: randomUUID() };
    const answer = await writeDespite(isTransient, () => client.send(new TransactWriteCommand(request)));
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
 * Throttling of one item cancels the whole transaction, which is worth a retry unless a condition failed as well.
 * `TransactionInProgress` means that an attempt got no response in time. A retry with its token gets its result.
 */
const isTransient = (error: unknown): boolean => {
  if (error instanceof TransactionInProgressException) return true;
  const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
  const codes = new Set(reasons.map(({ Code }) => Code));
  return THROTTLED.some((code) => codes.has(code)) && !codes.has('ConditionalCheckFailed');
};

const THROTTLED = ['ThrottlingError', 'ProvisionedThroughputExceeded'];
