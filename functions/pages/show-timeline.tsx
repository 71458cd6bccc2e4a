import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { TimelinePage } from '#shared/pages/runs/timeline-page.tsx';
import { page } from '#shared/platform/page.ts';
import { presentWholeRun, readRunRows } from '#shared/results/read-run.ts';
import { requireRunOfProject } from '#shared/results/run-of-project.ts';
import { buildTimeline } from '#shared/results/timeline.ts';

export const handler = page({
  operationId: 'showTimeline',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/timeline',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId } }, services) {
    const rows = await readRunRows(services, { organizationId: visit.organizationId, runId });
    const run = await presentWholeRun(services, rows, []);
    requireRunOfProject(run, visit);
    const name = run.meta.title ?? run.meta.ciBuildId;
    const breadcrumbs = makeRunBreadcrumbs(visit, { runId, name }, { name: 'Timeline' });
    const body = <TimelinePage visit={visit} run={run} timeline={buildTimeline(run, services.now())} />;
    return { title: `Timeline of ${name}`, tab: 'Runs', breadcrumbs, body };
  },
});
