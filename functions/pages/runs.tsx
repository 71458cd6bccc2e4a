import * as z from 'zod';
import { makeStateContent } from '#shared/engine/http/content.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { getRunsSpan, runsOfProject } from '#shared/model/runs/run.ts';
import { NO_RUNS } from '#shared/pages/home/how-to-record.tsx';
import { RunsPage } from '#shared/pages/runs/runs-page.tsx';
import { LIST_RUNS } from '#shared/pages/shell/limits.ts';
import { page, polledPart } from '#shared/platform/page.ts';
import { runsFilterQuery } from '#shared/results/filter-wire.ts';
import { listRunsWithTotals } from '#shared/results/runs/list-runs.ts';
import { readRunChanges } from '#shared/results/runs/run-changes.ts';

export const showRuns = page({
  operationId: 'showRuns',
  route: 'GET /{organizationId}/{projectId}/runs',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...cursorQuery({ ...PAGE_LIMITS.cursorPage, default: LIST_RUNS }), ...runsFilterQuery }),
  async show({ visit, caller, query, at }, services) {
    const result = await listRunsWithTotals(services, { ...caller, query });
    const { organizationId, project } = visit;
    const request = { organizationId, branch: project.defaultBranchName, items: result.data };
    const changes = await readRunChanges(services, request);
    const props = { visit, at, query, changes, runs: result.data, paging: { query, ...result }, now: services.now() };
    const body = <RunsPage {...props} origin={services.origin} />;
    // For a project without runs, the page shows the import form.
    const hasForm = result.data.length === 0;
    return { title: 'Runs', tab: 'Runs', body, script: hasForm ? 'import.js' : undefined, uploads: hasForm };
  },
});

/** The script of the page of a project without runs polls it until the first run arrives. */
export const showFirstRunLive = polledPart({
  operationId: 'showFirstRunLive',
  route: 'GET /{organizationId}/{projectId}/first-run/live',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    const { rows } = await services.table.query(runsOfProject, getRunsSpan(visit), { limit: 1 });
    return makeStateContent(rows.length === 0 ? NO_RUNS : rows.length);
  },
});
