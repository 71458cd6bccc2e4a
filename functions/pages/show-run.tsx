import * as z from 'zod';
import { shownComparison } from '#shared/context/shown-comparison.ts';
import { id } from '#shared/model/names.ts';
import { shownActors } from '#shared/organizations/actor-names.ts';
import { testsWithStrip } from '#shared/pages/compared-tests.tsx';
import { openSection } from '#shared/pages/comparison-part.tsx';
import { runsHref } from '#shared/pages/hrefs.ts';
import { FAILURE_STRIP_EXECUTIONS } from '#shared/pages/limits.ts';
import { runTitle } from '#shared/pages/outcome.tsx';
import { RunPage } from '#shared/pages/run-page.tsx';
import { page } from '#shared/platform/page.ts';
import { compareIfPossible } from '#shared/results/compare-runs.ts';
import { comparisonQuery } from '#shared/results/comparison-wire.ts';
import { executionsOfTests } from '#shared/results/latest-executions.ts';
import { readRun } from '#shared/results/read-run.ts';
import { runOfProject } from '#shared/results/run-of-project.ts';
import { lastTraces } from '#shared/results/test-files.ts';

export const handler = page({
  operationId: 'showRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  path: { runId: id },
  query: z.object(comparisonQuery),
  async show({ visit, path: { runId }, query, refused }, services) {
    const { organizationId, project } = visit;
    const [run, { comparison, problem }] = await Promise.all([
      readRun(services, { organizationId, runId }),
      compareIfPossible(services, { organizationId, runId, query, project }),
    ]);
    runOfProject(run, visit);
    const nameOf = await shownActors(services, run.cancellation ? [run.cancellation.actor] : []);
    const name = run.meta.title ?? run.meta.ciBuildId;
    const open = openSection(comparison, query.verdict);
    const limit = FAILURE_STRIP_EXECUTIONS;
    const [traceOf, executionsOf] = await Promise.all([
      lastTraces(services, { organizationId, tests: open?.tests ?? [] }),
      executionsOfTests(services, { organizationId, tests: open ? testsWithStrip(open) : [], limit }),
    ]);
    const compared = { comparison: shownComparison(comparison), problem };
    return {
      title: `${runTitle(run)} · ${name}`,
      tab: 'Runs',
      breadcrumbs: [{ name: 'Runs', href: runsHref(visit) }, { name }],
      body: (
        <RunPage {...{ traceOf, executionsOf, visit, run, compared, query, refused, nameOf }} now={services.now()} />
      ),
      problem,
    };
  },
});
