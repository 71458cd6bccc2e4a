/** The history rows of a final test. A test that is flaky or did not pass also gets a copy in the list `notable`. */
import { displayedError, totalDuration } from '#shared/model/attempt.ts';
import type { HistoryRow } from '#shared/model/history-row.ts';
import { recordIdOf, signatureOf } from '#shared/model/ids.ts';
import type { CountedTest } from '#shared/model/outcomes.ts';
import { mergeTags } from '#shared/model/tags.ts';
import type { TestRecord } from '#shared/model/test-record.ts';

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
    expiresAt: record.expiry.results,
  };
}

export const copyOf = (row: HistoryRow): HistoryRow => ({ ...row, list: 'notable' });
