/** The history rows of a final test. A test that is flaky or did not pass also gets a copy in the list `notable`. */
import { type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { displayedError, totalDuration } from '#shared/model/attempt.ts';
import { type HistoryRow, history, unlessNewer } from '#shared/model/history-row.ts';
import { recordIdOf, signatureOf } from '#shared/model/ids.ts';
import { type CountedTest, isNotable } from '#shared/model/outcomes.ts';
import { mergeTags } from '#shared/model/tags.ts';
import type { TestRecord } from '#shared/model/test-record.ts';
import type { CoreServices } from '#shared/services.ts';

export function historyRowOf(
  record: TestRecord,
  { outcome, flaky, expectedStatus }: CountedTest & { readonly expectedStatus: string },
): HistoryRow {
  return {
    ...record,
    tags: mergeTags(record.tags, record.testTags),
    signature: signatureOf(record),
    list: 'all',
    recordedAt: record.finalAt ?? 0,
    recordId: recordIdOf(record),
    outcome,
    flaky,
    expectedStatus,
    duration: totalDuration(record.attempts),
    attempts: record.attempts.map(({ state, startedAt, duration }) => [state, startedAt, duration] as const),
    hasErrors: displayedError(record.attempts) !== undefined,
  };
}

const copyOf = (row: HistoryRow): HistoryRow => ({ ...row, list: 'notable' });

/** `wasFinal`: an earlier final message may have left a copy that is no longer true. */
export async function writeHistory(
  { table }: Pick<CoreServices, 'table'>,
  row: HistoryRow,
  wasFinal: boolean,
): Promise<void> {
  const copy = copyOf(row);
  const { done } = await table.put(history, row, unlessNewer(row));
  if (!done) return;
  if (isNotable(row)) await table.put(history, copy, unlessNewer(copy));
  else if (wasFinal) await table.writeMany([remove(history, copy)]);
}

/** Unconditional writes for a batch upload. */
export const historyWrites = (row: HistoryRow, wasFinal: boolean): (Put | Delete)[] => [
  put(history, row),
  ...(isNotable(row) ? [put(history, copyOf(row))] : wasFinal ? [remove(history, copyOf(row))] : []),
];
