import * as z from 'zod';
import { readSpecFiles } from '#shared/analytics/metrics/read-spec-files.ts';
import { specFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import { analyticsHref } from '#shared/pages/hrefs.ts';
import { LIST_RANGE, periodOfList, withPeriod } from '#shared/pages/list-period.ts';
import { SpecFilesPage } from '#shared/pages/spec-files-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showSpecFiles',
  route: 'GET /{organizationId}/{projectId}/spec-files',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...specFilesQuery, ...LIST_RANGE }),
  async show({ visit, query: sent, here }, services) {
    const { organizationId, projectId } = visit;
    const query = withPeriod(sent, services.now());
    const specs = await readSpecFiles(services, { organizationId, projectId, query });
    return {
      title: 'Spec files',
      tab: 'Tests',
      breadcrumbs: [{ name: 'Tests', href: analyticsHref(visit, 'tests') }, { name: 'Spec files' }],
      body: <SpecFilesPage at={{ visit, here }} query={query} period={periodOfList(query)} specs={specs} />,
    };
  },
});
