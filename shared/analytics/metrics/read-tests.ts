/** §4.4 The tests of a project with their metrics. */
import type * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import { readSeries, readSeriesInTime } from '../read-series.ts';
import { type Asked, refuseUnknownProject } from './known-project.ts';
import { listTests, needsEarlier } from './list-tests.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';
import type { TestRow, TestsPage, TestsQuery } from './tests-wire.ts';
import { type Trends, trendsIn } from './trends.ts';

/** All rows, and the slices of chosen ones. */
export async function readTestsInTime(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: Asked<TestsQuery>,
): Promise<{ readonly rows: TestRow[]; readonly trendsOf: (rows: readonly TestRow[]) => Trends }> {
  const period = periodOf(query);
  const filter = filterOf(query);
  const earlier = { from: period.from - (period.to - period.from), to: period.from };
  const [inTime, before] = await Promise.all([
    readSeriesInTime(services, scope, period, filter),
    needsEarlier(query.order) ? readSeries(services, scope, earlier, filter) : undefined,
    refuseUnknownProject(services, scope),
  ]);
  const trendsOf = (rows: readonly TestRow[]) =>
    trendsIn(inTime.slicesOf(new Set(rows.map(({ signature }) => signature))));
  return { rows: listTests(inTime.series, before, query), trendsOf };
}

/** The rows of all pages. */
export const readAllTests = async (
  services: Pick<CoreServices, 'table'>,
  asked: Asked<TestsQuery>,
): Promise<TestRow[]> => (await readTestsInTime(services, asked)).rows;

export async function readTests(
  services: Pick<CoreServices, 'table'>,
  asked: Asked<TestsQuery>,
): Promise<z.infer<typeof TestsPage>> {
  const page = offsetPage(await readAllTests(services, asked), asked.query);
  return { ...page, count: page.total };
}
