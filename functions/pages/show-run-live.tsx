import { makeHtmlContent } from '#shared/engine/http/content.ts';
import { RunHead } from '#shared/pages/runs/run-head.tsx';
import { polledPart } from '#shared/platform/page.ts';
import { readProgress } from '#shared/results/live-counters.ts';
import { requireRunOfProject } from '#shared/results/run-of-project.ts';

/** The part of the run page that its script polls while the run is in progress. */
export const handler = polledPart({
  operationId: 'showRunLive',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/live',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId } }, services) {
    const progress = await readProgress(services, { organizationId: visit.organizationId, runId });
    requireRunOfProject(progress, visit);
    return makeHtmlContent(String(<RunHead visit={visit} runId={runId} progress={progress} />));
  },
});
