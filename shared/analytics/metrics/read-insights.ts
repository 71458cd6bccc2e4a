/** §4.4 Reads the runs and tests of a project over time. */
import type * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';
import { readRunGroups } from '../read-run-groups.ts';
import { insightsOf } from './insights.ts';
import type { Insights, insightsQuery } from './insights-wire.ts';
import { filterOf, periodOf } from './range-wire.ts';

type InsightsQuery = z.output<z.ZodObject<typeof insightsQuery>>;

/** Runs in progress are not among the rows yet. */
export async function readInsights(
  services: Pick<CoreServices, 'table'>,
  { query, ...scope }: AnalyticsScope & { readonly query: InsightsQuery },
): Promise<Pick<Insights, 'results'>> {
  const { resolution } = query;
  const period = periodOf(query);
  const groups = await readRunGroups(services, scope, period, filterOf(query));
  return { results: insightsOf(groups, [], { period, resolution }) };
}
