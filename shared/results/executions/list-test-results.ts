/** §4.1 The history of one test, in pages. */
import type * as z from 'zod';
import {
  makeRowReader,
  type PageQuery,
  parseWalk,
  planReads,
  readPage,
  refuseEmptyRange,
} from '#shared/engine/http/pagination.ts';
import { splitRecordId } from '#shared/model/ids.ts';
import { getHistorySpan, type HistoryRow, history } from '#shared/model/results/history-row.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import type { Services } from '#shared/services.ts';
import type { TestResultsFilter } from '../filter-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { presentTestResult } from './test-result.ts';
import type { TestResult } from './test-result-wire.ts';
import { chooseList, isUnfiltered, matchesExecution, toExecutionCondition } from './test-results-filter.ts';

export type TestResultsQuery = TestResultsFilter &
  PageQuery & { readonly date_start: number; readonly date_end: number };

export async function listTestResults(
  services: Services,
  { organizationId, signature, query }: { organizationId: string; signature: string; query: TestResultsQuery },
): Promise<{ has_more: boolean; data: z.infer<typeof TestResult>[] }> {
  const { limit, starting_after, ending_before, date_start, date_end, ...filter } = query;
  refuseEmptyRange(date_start, date_end);
  const list = chooseList(filter);
  // A cursor stays valid with other dates, because clients may change `date_end` between pages.
  const cursors = await services.cursors(organizationId, { list: `test-results ${signature}`, filters: filter });
  const source = {
    span: getHistorySpan({ organizationId, signature, list }, date_start, date_end),
    reads: planReads(limit, { isFiltered: !isUnfiltered(filter), most: RESULT_LIMITS.filteredReadRows, doubles: true }),
    read: makeRowReader(services.table, history, toExecutionCondition(filter)),
    select: (rows: readonly HistoryRow[]) => rows.map((row) => (matchesExecution(filter, row) ? row : undefined)),
  };
  const page = await readPage(source, limit, parseWalk({ limit, starting_after, ending_before }, cursors));
  const attempts = await readAttempts(
    services,
    page.items.map(({ item }) => item),
  );
  const data = page.items.map(({ position, item }) =>
    presentTestResult(item, cursors.seal(position), attempts.get(item.recordId)),
  );
  return { has_more: page.hasMore, data };
}

/** Reads the attempts only of executions with errors, so a page without errors needs no second read. */
async function readAttempts({ table }: Services, rows: readonly HistoryRow[]) {
  const keys = rows.flatMap(({ organizationId, recordId, hasErrors }) => {
    const parts = hasErrors ? splitRecordId(recordId) : undefined;
    return parts ? [{ organizationId, recordId, ...parts }] : [];
  });
  const records = keys.length > 0 ? await table.getMany(testRecords, keys) : [];
  return new Map(keys.map(({ recordId }, index) => [recordId, records[index]?.attempts]));
}
