/** §4.4.5 The tests of a project with their metrics. */
import type * as z from 'zod';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import type { Asked } from '../read-model.ts';
import { readSeries, readSeriesUpTo } from '../read-series.ts';
import { listTests, needsEarlier } from './list-tests.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf, precedingOf } from './range-wire.ts';
import type { TestSummary, TestsList, TestsQuery } from './tests-wire.ts';
import { levelOfTrend, type Trends, trendsIn } from './trends.ts';

interface TestsInTime {
  readonly rows: TestSummary[];
  readonly trendsOf: (rows: readonly TestSummary[]) => Trends;
}

/**
 * Reads all rows, and returns a function that computes the trends of chosen tests. Each part of a trend needs its own
 * summary, so summaries that cover more time than one part are not used.
 */
export const readTestsInTime = (services: WithTable, asked: Asked<TestsQuery>): Promise<TestsInTime> =>
  readTestsUpTo(services, asked, levelOfTrend(periodOf(asked.query)));

async function readTestsUpTo(
  services: WithTable,
  { query, ...scope }: Asked<TestsQuery>,
  level: number | undefined,
): Promise<TestsInTime> {
  const period = periodOf(query);
  const filter = filterOf(query);
  const [inTime, before] = await Promise.all([
    readSeriesUpTo(services, level, scope, period, filter),
    needsEarlier(query.order) ? readSeries(services, scope, precedingOf(period), filter) : undefined,
    findProject(services, scope),
  ]);
  const trendsOf = (rows: readonly TestSummary[]) =>
    trendsIn(period, inTime.slicesOf(new Set(rows.map(({ signature }) => signature))));
  return { rows: listTests(inTime.series, before, query), trendsOf };
}

/** The rows of all pages. */
export const readAllTests = async (services: WithTable, asked: Asked<TestsQuery>): Promise<TestSummary[]> =>
  (await readTestsUpTo(services, asked, undefined)).rows;

export async function readTests(services: WithTable, asked: Asked<TestsQuery>): Promise<z.infer<typeof TestsList>> {
  const page = offsetPage(await readAllTests(services, asked), asked.query);
  return { ...page, count: page.total };
}
