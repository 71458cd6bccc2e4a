/** §4.4.5 Reads the insights of a project: its runs and tests, overall and over time. */
import { isoTime } from '#shared/results/test-result.ts';
import type { CoreServices } from '#shared/services.ts';
import { matchesEntry, matchesTags } from '../filter.ts';
import { NO_FILTER } from '../read-model.ts';
import { readRunGroups } from '../read-run-groups.ts';
import { insightsOf } from './insights.ts';
import type { Insights, InsightsQuery } from './insights-wire.ts';
import { type Asked, refuseUnknownProject } from './known-project.ts';
import { METRIC_LIMITS } from './limits.ts';
import { openRuns } from './open-runs.ts';
import { filterOf, periodOf } from './range-wire.ts';

const HOURLY = { days: METRIC_LIMITS.hourlyRangeDays, unless: ', or ask for `resolution=1d`' };

export async function readInsights(
  services: Pick<CoreServices, 'table' | 'now'>,
  { query, ...scope }: Asked<InsightsQuery>,
): Promise<Insights> {
  const { resolution, tags, authors, branches, groups, environments } = query;
  const period = periodOf(query, resolution === '1h' ? HOURLY : undefined);
  const filter = filterOf(query);
  // Reads all groups unfiltered: a run that the filter leaves out must not look like a run in progress.
  const [all] = await Promise.all([
    readRunGroups(services, scope, period, NO_FILTER),
    refuseUnknownProject(services, scope),
  ]);
  const open = await openRuns(services, { scope, period, filter }, new Set(all.map(({ runId }) => runId)));
  const matching = all.filter((group) => matchesEntry(filter, group) && matchesTags(filter, group.tags));
  return {
    projectId: scope.projectId,
    orgId: scope.organizationId,
    dateStart: isoTime(period.from),
    dateEnd: isoTime(period.to),
    resolution,
    tags,
    authors,
    branches,
    groups,
    environments,
    results: insightsOf(matching, open, { period, resolution }),
  };
}
