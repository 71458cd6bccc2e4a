/** §4.4.5 Reads the insights of a project: its runs and tests, overall and over time. */

import { hasMatchingTags, isMatchingEntry, isUnfilteredAnalytics } from '#shared/analytics/filter.ts';
import {
  type AnalyticsFilter,
  type AnalyticsRequest,
  type AnalyticsScope,
  NO_FILTER,
  type Period,
  type RunGroupFacts,
} from '#shared/analytics/read-model.ts';
import { readRunGroups } from '#shared/analytics/read-run-groups.ts';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { findProject } from '#shared/find-project.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import type { WithClock } from '#shared/services.ts';
import { computeInsights, type OpenRun } from './insights.ts';
import type { Insights, InsightsQuery } from './insights-wire.ts';
import { METRIC_LIMITS } from './limits.ts';
import { toAnalyticsFilter, toPeriod } from './range-wire.ts';

const HOURLY = { days: METRIC_LIMITS.hourlyRangeDays, unless: ', or ask for `resolution=1d`' };

export async function readInsights(
  services: WithClock,
  { query, ...scope }: AnalyticsRequest<InsightsQuery>,
): Promise<Insights> {
  const { resolution, tags, authors, branches, groups, environments } = query;
  const { period, groups: matchingGroups, open } = await readInsightRuns(services, { query, ...scope });
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
    results: computeInsights(matchingGroups, open, { period, resolution }),
  };
}

/** The groups of ended runs that match the filters, and the runs in progress. */
export interface InsightRuns {
  readonly period: Period;
  readonly groups: readonly RunGroupFacts[];
  readonly open: readonly OpenRun[];
}

export async function readInsightRuns(
  services: WithClock,
  { query, ...scope }: AnalyticsRequest<InsightsQuery>,
): Promise<InsightRuns> {
  const period = toPeriod(query, query.resolution === '1h' ? HOURLY : undefined);
  const filter = toAnalyticsFilter(query);
  // Reads all groups without the filter, because an ended run that the filter leaves out must not look like a run in
  // progress.
  const [all] = await Promise.all([readRunGroups(services, scope, period, NO_FILTER), findProject(services, scope)]);
  const open = await findOpenRuns(services, { scope, period, filter }, new Set(all.map(({ runId }) => runId)));
  const matchingGroups = all.filter((group) => isMatchingEntry(filter, group) && hasMatchingTags(filter, group.tags));
  return { period, groups: matchingGroups, open };
}

/**
 * Runs that are in progress or ended a moment ago. Ignores runs that are older than `openRunMilliseconds`.
 * `countedRunIds`: the runs of the period that are already in the totals.
 */
async function findOpenRuns(
  services: WithClock,
  { scope, period, filter }: { scope: AnalyticsScope; period: Period; filter: AnalyticsFilter },
  countedRunIds: ReadonlySet<string>,
): Promise<OpenRun[]> {
  const from = Math.max(period.from, services.now() - METRIC_LIMITS.openRunMilliseconds);
  if (from >= period.to) return [];
  const recentRuns = await services.table.queryAll(runsOfProject, getRunsSpan(scope, from, period.to));
  const open = recentRuns.filter(({ runId }) => !countedRunIds.has(runId));
  if (isUnfilteredAnalytics(filter)) return open;
  const runRows = (await services.table.getMany(runs, open)).flatMap((run) => run ?? []);
  const matchingRuns = await mapConcurrently(runRows, async (run) =>
    (await isMatchingRun(services, filter, run)) ? [run] : [],
  );
  return matchingRuns.flat();
}

/** A run matches the filter if one of its groups does. */
async function isMatchingRun({ table }: WithClock, filter: AnalyticsFilter, run: Run): Promise<boolean> {
  const members = await table.queryAll(groups, getRunMembersSpan(run, 'GROUP'));
  const { branch, authorName, authorEmail } = run.commit;
  return members.some(
    ({ groupId, environment, tags }) =>
      isMatchingEntry(filter, { branch, authorName, authorEmail, groupId, environment }) &&
      hasMatchingTags(filter, mergeTags(run.tags, tags)),
  );
}
