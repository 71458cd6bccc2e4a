/** §4.4 The tests of a project with their metrics. */
import type * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import { readSeries } from '../read-series.ts';
import { type Asked, refuseUnknownProject } from './known-project.ts';
import { listTests, needsEarlier } from './list-tests.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';
import type { TestRow, TestsPage, TestsQuery } from './tests-wire.ts';

/** The rows of all pages. */
export async function readAllTests(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: Asked<TestsQuery>,
): Promise<TestRow[]> {
  const period = periodOf(query);
  const filter = filterOf(query);
  const earlier = { from: period.from - (period.to - period.from), to: period.from };
  const [series, before] = await Promise.all([
    readSeries(services, scope, period, filter),
    needsEarlier(query.order) ? readSeries(services, scope, earlier, filter) : undefined,
    refuseUnknownProject(services, scope),
  ]);
  return listTests(series, before, query);
}

export async function readTests(
  services: Pick<CoreServices, 'table'>,
  asked: Asked<TestsQuery>,
): Promise<z.infer<typeof TestsPage>> {
  const page = offsetPage(await readAllTests(services, asked), asked.query);
  return { ...page, count: page.total };
}
