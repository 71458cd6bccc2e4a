/** §4.4 Reads a page of the tests explorer. */
import type * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';
import { readSeries } from '../read-series.ts';
import { listTests, needsEarlier } from './list-tests.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf } from './range-wire.ts';
import type { TestsPage, TestsQuery } from './tests-wire.ts';

export async function readTests(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: AnalyticsScope & { readonly query: TestsQuery },
): Promise<z.infer<typeof TestsPage>> {
  const [period, filter] = [periodOf(query), filterOf(query)];
  const earlier = { from: 2 * period.from - period.to, to: period.from };
  const [series, before] = await Promise.all([
    readSeries(services, scope, period, filter),
    needsEarlier(query.order) ? readSeries(services, scope, earlier, filter) : undefined,
  ]);
  const page = offsetPage(listTests(series, before, query), query);
  return { ...page, count: page.total };
}
