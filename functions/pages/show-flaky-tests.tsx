import * as z from 'zod';
import { flakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import { FlakyPage } from '#shared/pages/flaky-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showFlakyTests',
  route: 'GET /{organizationId}/{projectId}/flaky',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(flakyTestsQuery),
  async show({ visit, query, here }, services) {
    const { organizationId, projectId } = visit;
    const found = await listFlakyTests(services, { organizationId, projectId, query });
    return {
      title: 'Flaky tests',
      tab: 'Flaky',
      body: <FlakyPage at={{ visit, here }} query={query} found={found} now={services.now()} />,
    };
  },
});
