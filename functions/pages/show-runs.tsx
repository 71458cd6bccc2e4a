import * as z from 'zod';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { RunsPage } from '#shared/pages/runs/runs-page.tsx';
import { page } from '#shared/platform/page.ts';
import { runsFilterQuery } from '#shared/results/filter-wire.ts';
import { listRunsWithTotals } from '#shared/results/list-runs.ts';

export const handler = page({
  operationId: 'showRuns',
  route: 'GET /{organizationId}/{projectId}/runs',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...cursorQuery(PAGE_LIMITS.cursorPage), ...runsFilterQuery }),
  async show({ visit, caller, query, at }, services) {
    const result = await listRunsWithTotals(services, { ...caller, query });
    const props = { visit, at, query, runs: result.data, paging: { query, ...result }, now: services.now() };
    const body = <RunsPage {...props} origin={services.origin} />;
    // For a project without runs, the page shows the import form.
    return {
      title: 'Runs',
      tab: 'Runs',
      body,
      ...(result.data.length === 0 && { script: 'import.js', uploads: true }),
    };
  },
});
