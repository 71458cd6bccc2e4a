import * as z from 'zod';
import { flakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { FLAKY_ORDERS, readFlakyList } from '#shared/analytics/flaky/read-flaky-list.ts';
import { rangeQuery } from '#shared/analytics/metrics/range-wire.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { FlakyPage, toNamedTest } from '#shared/pages/analytics/flaky-page.tsx';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';
import { readKnownIssues } from '#shared/results/failures/known-issues.ts';
import { readQuarantines } from '#shared/rules/quarantines.ts';

const { page: pageNumber, limit } = testsQuery;
const { state } = flakyTestsQuery;
const FlakyOrders = z.enum(FLAKY_ORDERS);

export const showFlakyTests = page({
  operationId: 'showFlakyTests',
  route: 'GET /{organizationId}/{projectId}/flaky',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    ...rangeQuery,
    ...LIST_RANGE,
    state,
    page: pageNumber,
    limit,
    order: FlakyOrders.default('evidence'),
  }),
  async show({ visit, caller, query: sentQuery, at }, services) {
    const query = addDefaultPeriod(sentQuery, services.now());
    const [flakyTests, isBehind, issuesBy] = await Promise.all([
      readFlakyList(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
      readKnownIssues(services, visit),
    ]);
    const quarantineOf = await readQuarantines(services, visit, flakyTests.list.map(toNamedTest));
    const props = { at, query, flakyTests, issuesBy, quarantineOf, period: toShownPeriod(query), now: services.now() };
    return { title: 'Flaky tests', isBehind, tab: 'Flaky', body: <FlakyPage {...props} /> };
  },
});
