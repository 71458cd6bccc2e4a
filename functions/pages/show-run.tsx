import * as z from 'zod';
import { masked } from '#shared/context/masking.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readContext } from '#shared/context/read-context.ts';
import { id } from '#shared/model/names.ts';
import { shownActors } from '#shared/organizations/actor-names.ts';
import { runsHref } from '#shared/pages/hrefs.ts';
import { runTitle } from '#shared/pages/outcome.tsx';
import { RunPage } from '#shared/pages/run-page.tsx';
import { page } from '#shared/platform/page.ts';
import { readRun } from '#shared/results/read-run.ts';
import { runOfProject } from '#shared/results/run-of-project.ts';

const query = z.object({ page: ContextQuery.shape.page });

export const handler = page({
  operationId: 'showRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  path: { runId: id },
  query,
  async show({ visit, path: { runId }, query: { page: number }, refused }, services) {
    const { organizationId } = visit;
    const contextQuery = ContextQuery.parse({ run_id: runId, include_flaky: true, page: number });
    const [run, context] = await Promise.all([
      readRun(services, { organizationId, runId }),
      readContext(services, organizationId, contextQuery),
    ]);
    runOfProject(run, visit);
    const nameOf = await shownActors(services, run.cancellation ? [run.cancellation.actor] : []);
    const name = run.meta.title ?? run.meta.ciBuildId;
    return {
      title: `${runTitle(run)} · ${name}`,
      tab: 'Runs',
      breadcrumbs: [{ name: 'Runs', href: runsHref(visit) }, { name }],
      body: <RunPage {...{ visit, run, refused, nameOf }} failures={masked(context)} now={services.now()} />,
    };
  },
});
