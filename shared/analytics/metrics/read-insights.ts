/** §4.4.5 Reads the insights of a project: its runs and tests, overall and over time. */

import { isUnfilteredAnalytics, matchesEntry, matchesTags } from '#shared/analytics/filter.ts';
import {
  type AnalyticsFilter,
  type AnalyticsScope,
  type Asked,
  NO_FILTER,
  type Period,
} from '#shared/analytics/read-model.ts';
import { readRunGroups } from '#shared/analytics/read-run-groups.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { findProject } from '#shared/find-project.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import type { WithClock } from '#shared/services.ts';
import { insightsOf, type OpenRun } from './insights.ts';
import type { Insights, InsightsQuery } from './insights-wire.ts';
import { METRIC_LIMITS } from './limits.ts';
import { filterOf, periodOf } from './range-wire.ts';

const HOURLY = { days: METRIC_LIMITS.hourlyRangeDays, unless: ', or ask for `resolution=1d`' };

export async function readInsights(services: WithClock, { query, ...scope }: Asked<InsightsQuery>): Promise<Insights> {
  const { resolution, tags, authors, branches, groups, environments } = query;
  const period = periodOf(query, resolution === '1h' ? HOURLY : undefined);
  const filter = filterOf(query);
  // Reads all groups without the filter, because an ended run that the filter leaves out must not look like a run in
  // progress.
  const [all] = await Promise.all([readRunGroups(services, scope, period, NO_FILTER), findProject(services, scope)]);
  const open = await openRuns(services, { scope, period, filter }, new Set(all.map(({ runId }) => runId)));
  const matching = all.filter((group) => matchesEntry(filter, group) && matchesTags(filter, group.tags));
  return {
    projectId: scope.projectId,
    orgId: scope.organizationId,
    dateStart: formatIsoTime(period.from),
    dateEnd: formatIsoTime(period.to),
    resolution,
    tags,
    authors,
    branches,
    groups,
    environments,
    results: insightsOf(matching, open, { period, resolution }),
  };
}

// Runs whose results are not in the totals yet, because they are in progress or ended a moment ago.

/**
 * Finds runs that match the filter and are not in the totals yet. Ignores runs that are older than
 * `openRunMilliseconds`. `counted`: the ids of the runs of the period that are already in the totals.
 */
async function openRuns(
  services: WithClock,
  { scope, period, filter }: { scope: AnalyticsScope; period: Period; filter: AnalyticsFilter },
  counted: ReadonlySet<string>,
): Promise<OpenRun[]> {
  const from = Math.max(period.from, services.now() - METRIC_LIMITS.openRunMilliseconds);
  if (from >= period.to) return [];
  const listed = await services.table.queryAll(runsOfProject, getRunsSpan(scope, from, period.to));
  const open = listed.filter(({ runId }) => !counted.has(runId));
  if (isUnfilteredAnalytics(filter)) return open;
  const found = (await services.table.getMany(runs, open)).flatMap((run) => run ?? []);
  const matching = await mapConcurrently(found, async (run) =>
    (await matchesRun(services, filter, run)) ? [run] : [],
  );
  return matching.flat();
}

/** A run matches the filter if one of its groups does. */
async function matchesRun({ table }: WithClock, filter: AnalyticsFilter, run: Run): Promise<boolean> {
  const members = await table.queryAll(groups, getRunMembersSpan(run, 'GROUP'));
  const { branch, authorName, authorEmail } = run.commit;
  return members.some(
    ({ groupId, environment, tags }) =>
      matchesEntry(filter, { branch, authorName, authorEmail, groupId, environment }) &&
      matchesTags(filter, mergeTags(run.tags, tags)),
  );
}
