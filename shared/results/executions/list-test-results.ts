/** §4.1 The history of one test, in pages. */
import type * as z from 'zod';
import { refuseEmptyRange } from '#shared/engine/http/instant.ts';
import { makeRowReader, type PageSource, planReads, readParts } from '#shared/engine/http/page-source.ts';
import { type PageQuery, parseWalk, readPage } from '#shared/engine/http/pagination.ts';
import type { Span } from '#shared/engine/table/entity.ts';
import { splitRecordId } from '#shared/model/ids.ts';
import { getHistorySpan, type HistoryRow, history } from '#shared/model/results/history-row.ts';
import type { TimeRange } from '#shared/model/results/recent-facts.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import type { Services, WithClock } from '#shared/services.ts';
import type { TestResultsFilter } from '../filter-wire.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { findRecordedTimes, namesTerms } from './recorded-times.ts';
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
  const toSpan = ([from, to]: TimeRange) => getHistorySpan({ organizationId, signature, list }, from, to);
  const range: TimeRange = [date_start, date_end];
  const hasTerms = namesTerms(filter);
  const isFiltered = !isUnfiltered(filter) && !hasTerms;
  const source = {
    span: toSpan(range),
    reads: planReads(limit, { isFiltered, most: RESULT_LIMITS.filteredReadRows, doubles: true }),
    read: hasTerms
      ? makeTimesReader(services, filter, toSpan, range)
      : makeRowReader(services.table, history, toExecutionCondition(filter)),
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

type Read = PageSource<HistoryRow, unknown>['read'];

/**
 * First reads as many rows as an unfiltered page has, because most filters name a branch that is in use. If they are not
 * enough, one of them tells the project, whose terms tell where the others are.
 */
function makeTimesReader(
  services: WithClock,
  filter: TestResultsFilter,
  toSpan: (range: TimeRange) => Span,
  range: TimeRange,
): Read {
  const readMatching = makeRowReader(services.table, history, toExecutionCondition(filter));
  let read: Read = async (span, options) => {
    const page = await services.table.query(history, span, options);
    const [row] = page.rows;
    read = async (...request) => {
      const times = row ? await findRecordedTimes(services, { project: row.item, filter, range }) : [range];
      read = readParts(readMatching, times.map(toSpan));
      return read(...request);
    };
    return page;
  };
  return (...request) => read(...request);
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
