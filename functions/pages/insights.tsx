import * as z from 'zod';
import { insightsQuery } from '#shared/analytics/metrics/insights-wire.ts';
import { readInsights } from '#shared/analytics/metrics/read-insights.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { InsightsPage } from '#shared/pages/analytics/insights-page.tsx';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';

export const showInsights = page({
  operationId: 'showInsights',
  route: 'GET /{organizationId}/{projectId}/insights',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...insightsQuery, ...LIST_RANGE }),
  async show({ visit, caller, query: rawQuery, at }, services) {
    const query = addDefaultPeriod(rawQuery, services.now());
    const { date_start: from, date_end: to } = query;
    const previousQuery = { ...query, date_start: from - (to - from), date_end: from };
    const [{ results }, before, isBehind] = await Promise.all([
      readInsights(services, { ...caller, query }),
      readInsights(services, { ...caller, query: previousQuery }),
      hasRunsBeingAdded(services, visit),
    ]);
    const props = {
      at,
      results,
      before: before.results.overall,
      resolution: query.resolution,
      period: toShownPeriod(query),
      now: services.now(),
    };
    return { isBehind, title: 'Insights', tab: 'Insights', body: <InsightsPage {...props} /> };
  },
});
