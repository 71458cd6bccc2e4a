import * as z from 'zod';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { readTestsInTime } from '#shared/analytics/metrics/read-tests.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { TestOrder, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { TestsPage } from '#shared/pages/analytics/tests-page.tsx';
import { LEAST_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showTests',
  route: 'GET /{organizationId}/{projectId}/tests',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...testsQuery,
    ...LIST_RANGE,
    order: TestOrder.default('failRateXSamples'),
    min_executions: testsQuery.min_executions.unwrap().default(LEAST_EXECUTIONS),
  }),
  async show({ visit, caller, query: rawQuery, at }, services) {
    const query = addDefaultPeriod(rawQuery, services.now());
    const [{ rows, trendsOf }, isBehind] = await Promise.all([
      readTestsInTime(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    const tests = paginateByOffset(rows, query);
    const totalTime = rows.reduce((sum, { metrics }) => sum + metrics.durationVolume, 0);
    const props = {
      at,
      query,
      tests,
      totalTime,
      trends: trendsOf(tests.list),
      period: toShownPeriod(query),
      now: services.now(),
    };
    return { isBehind, title: 'Tests', tab: 'Tests', body: <TestsPage {...props} /> };
  },
});
