import * as z from 'zod';
import type { Resolution } from '#shared/analytics/metrics/buckets.ts';
import { buildTimelineFile } from '#shared/analytics/metrics/csv-files.ts';
import { listFailuresByFile } from '#shared/analytics/metrics/failures-by-file.ts';
import { computeInsights } from '#shared/analytics/metrics/insights.ts';
import { insightsQuery } from '#shared/analytics/metrics/insights-wire.ts';
import { toAnalyticsFilter } from '#shared/analytics/metrics/range-wire.ts';
import { readInsightRuns, readInsights } from '#shared/analytics/metrics/read-insights.ts';
import { listReleases } from '#shared/analytics/metrics/releases.ts';
import { groupDurations } from '#shared/analytics/metrics/run-durations.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { readOccurrences } from '#shared/analytics/read-occurrences.ts';
import { InsightsPage } from '#shared/pages/analytics/insights-page.tsx';
import { isTooLongForHours } from '#shared/pages/analytics/resolutions.ts';
import { listShorterPeriods } from '#shared/pages/shell/list-filters.tsx';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';

/** The number of spec files in the heat map. */
const MOST_FILES = 12;

export const showInsights = page({
  operationId: 'showInsights',
  route: 'GET /{organizationId}/{projectId}/insights',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...insightsQuery, ...LIST_RANGE }),
  async show({ visit, caller, query: sentQuery, at }, services) {
    const query = limitHours(addDefaultPeriod(sentQuery, services.now()));
    if (query.format === 'csv') return buildTimelineFile(await readInsights(services, { ...caller, query }));
    const { date_start: from, date_end: to, resolution } = query;
    const previousQuery = { ...query, date_start: from - (to - from), date_end: from };
    const [runs, before, occurrences, isBehind] = await Promise.all([
      readInsightRuns(services, { ...caller, query }),
      readInsightRuns(services, { ...caller, query: previousQuery }),
      readOccurrences(services, caller, { from, to }, toAnalyticsFilter(query)),
      hasRunsBeingAdded(services, visit),
    ]);
    const { period } = runs;
    // The runs before a shorter period are those of this page.
    const comparablePeriod = listShorterPeriods(toShownPeriod(query)).find((shorter) =>
      runs.groups.some(({ createdAt }) => createdAt < shorter.from && createdAt >= 2 * shorter.from - shorter.to),
    );
    const props = {
      at,
      results: computeInsights(runs.groups, runs.open, { period, resolution }),
      durations: groupDurations(runs.groups, { period, resolution }),
      before: computeInsights(before.groups, before.open, { period: before.period, resolution }).overall,
      durationsBefore: groupDurations(before.groups, { period: before.period, resolution }),
      comparablePeriod,
      releases: listReleases(runs.groups),
      files: listFailuresByFile(caller, occurrences, { period, most: MOST_FILES }),
      resolution,
      areHoursRefused: sentQuery.resolution === '1h' && resolution !== '1h',
      period: toShownPeriod(query),
      now: services.now(),
    };
    return { isBehind, title: 'Insights', tab: 'Insights', body: <InsightsPage {...props} /> };
  },
});

/** Shows days instead of hours if the period is too long for hours. */
function limitHours<Query extends { date_start: number; date_end: number; resolution: Resolution }>(
  query: Query,
): Query {
  return query.resolution === '1h' && isTooLongForHours(toShownPeriod(query)) ? { ...query, resolution: '1d' } : query;
}
