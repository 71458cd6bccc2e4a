import * as z from 'zod';
import { flakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { FlakyPage } from '#shared/pages/analytics/flaky-page.tsx';
import { page } from '#shared/platform/page.ts';
import { readKnownIssues } from '#shared/results/known-issues.ts';

export const handler = page({
  operationId: 'showFlakyTests',
  route: 'GET /{organizationId}/{projectId}/flaky',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(flakyTestsQuery),
  async show({ visit, caller, query, at }, services) {
    const [flakyTests, isBehind, issuesBy] = await Promise.all([
      listFlakyTests(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
      readKnownIssues(services, visit),
    ]);
    return {
      title: 'Flaky tests',
      isBehind,
      tab: 'Flaky',
      body: <FlakyPage {...{ query, found: flakyTests, issuesBy }} at={at} now={services.now()} />,
    };
  },
});
