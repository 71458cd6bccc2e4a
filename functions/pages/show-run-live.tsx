import { html } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { RunHead } from '#shared/pages/run-page.tsx';
import { page } from '#shared/platform/page.ts';
import { readRun } from '#shared/results/read-run.ts';
import { runOfProject } from '#shared/results/run-of-project.ts';

/** The part of a run's page that the script fetches again while the run is in progress. */
export const handler = page({
  operationId: 'showRunLive',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/live',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  path: { runId: id },
  async show({ visit, path: { runId } }, services) {
    const run = await readRun(services, { organizationId: visit.organizationId, runId });
    runOfProject(run, visit);
    return html(String(<RunHead visit={visit} run={run} />));
  },
});
