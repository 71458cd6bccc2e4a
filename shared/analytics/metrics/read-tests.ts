/** §4.4.5 The tests of a project with their metrics. */
import type * as z from 'zod';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import type { AnalyticsRequest } from '../read-model.ts';
import { readSeries, readSeriesInTime } from '../read-series.ts';
import { isDeltaOrder, listTests } from './list-tests.ts';
import { paginateByOffset } from './offset-page.ts';
import { getPrecedingPeriod, toAnalyticsFilter, toPeriod } from './range-wire.ts';
import type { TestSummary, TestsList, TestsQuery } from './tests-wire.ts';
import { chooseTrendLevel, computeTrends, type Trends } from './trends.ts';

interface TestsInTime {
  readonly rows: TestSummary[];
  readonly trendsOf: (rows: readonly TestSummary[]) => Trends;
}

/** Does not use summaries that cover more time than one part of a trend, because each part needs its own. */
export const readTestsInTime = (services: WithTable, request: AnalyticsRequest<TestsQuery>): Promise<TestsInTime> =>
  readTestsUpTo(services, request, chooseTrendLevel(toPeriod(request.query)));

async function readTestsUpTo(
  services: WithTable,
  { query, ...scope }: AnalyticsRequest<TestsQuery>,
  level: number | undefined,
): Promise<TestsInTime> {
  const period = toPeriod(query);
  const filter = toAnalyticsFilter(query);
  const [inTime, before] = await Promise.all([
    readSeriesInTime(services, level, scope, period, filter),
    isDeltaOrder(query.order) ? readSeries(services, scope, getPrecedingPeriod(period), filter) : undefined,
    findProject(services, scope),
  ]);
  const trendsOf = (rows: readonly TestSummary[]) =>
    computeTrends(period, inTime.slicesOf(new Set(rows.map(({ signature }) => signature))));
  return { rows: listTests(inTime.series, before, query), trendsOf };
}

/** The rows of all pages. */
export const readAllTests = async (
  services: WithTable,
  request: AnalyticsRequest<TestsQuery>,
): Promise<TestSummary[]> => (await readTestsUpTo(services, request, undefined)).rows;

export async function readTests(
  services: WithTable,
  request: AnalyticsRequest<TestsQuery>,
): Promise<z.infer<typeof TestsList>> {
  const page = paginateByOffset(await readAllTests(services, request), request.query);
  return { ...page, count: page.total };
}
