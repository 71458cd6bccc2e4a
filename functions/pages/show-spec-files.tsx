import * as z from 'zod';
import { readSpecFiles } from '#shared/analytics/metrics/read-spec-files.ts';
import { hasRunsBeingAdded } from '#shared/analytics/metrics/runs-being-added.ts';
import { specFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import { SpecFilesPage } from '#shared/pages/analytics/spec-files-page.tsx';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import { addDefaultPeriod, LIST_RANGE, toShownPeriod } from '#shared/pages/shell/list-period.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showSpecFiles',
  route: 'GET /{organizationId}/{projectId}/spec-files',
  needs: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...specFilesQuery, ...LIST_RANGE }),
  async show({ visit, caller, query: rawQuery, at }, services) {
    const query = addDefaultPeriod(rawQuery, services.now());
    const [specs, isBehind] = await Promise.all([
      readSpecFiles(services, { ...caller, query }),
      hasRunsBeingAdded(services, visit),
    ]);
    return {
      title: 'Spec files',
      isBehind,
      tab: 'Tests',
      breadcrumbs: [{ name: 'Tests', href: linkToProjectPage(visit, 'tests') }, { name: 'Spec files' }],
      body: <SpecFilesPage at={at} query={query} period={toShownPeriod(query)} specs={specs} now={services.now()} />,
    };
  },
});
