import { makeBytesContent } from '#shared/engine/http/content.ts';
import { renderTimelineSvg } from '#shared/pages/runs/timeline-page.tsx';
import { page } from '#shared/platform/page.ts';
import { presentWholeRun, readRunRows } from '#shared/results/read-run.ts';
import { requireRunOfProject } from '#shared/results/run-of-project.ts';
import { buildTimeline } from '#shared/results/timeline.ts';

/**
 * The timeline of a run as an SVG file. Browsers download the file instead of showing it, so that no script in it can
 * run on this origin.
 */
export const handler = page({
  operationId: 'getTimeline',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/timeline.svg',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId } }, services) {
    const run = await presentWholeRun(services, await readRunRows(services, { ...visit, runId }), []);
    requireRunOfProject(run, visit);
    const svg = renderTimelineSvg({ run, timeline: buildTimeline(run, services.now()) });
    const headers = { 'Content-Disposition': `attachment; filename="timeline-${runId}.svg"` };
    return makeBytesContent(Buffer.from(svg), 'image/svg+xml', { headers });
  },
});
