import * as z from 'zod';
import { shownComparison, shownTests } from '#shared/context/shown-comparison.ts';
import { id } from '#shared/model/names.ts';
import type { ShownFiles } from '#shared/model/shown-files.ts';
import { shownActors } from '#shared/organizations/actor-names.ts';
import { type SectionTests, testsWithStrip } from '#shared/pages/compared-tests.tsx';
import { runsHref } from '#shared/pages/hrefs.ts';
import { FAILURE_STRIP_EXECUTIONS } from '#shared/pages/limits.ts';
import { runTitle } from '#shared/pages/outcome.tsx';
import { RunPage } from '#shared/pages/run-page.tsx';
import { page } from '#shared/platform/page.ts';
import { compareIfPossible } from '#shared/results/compare-runs.ts';
import { comparisonQuery } from '#shared/results/comparison-wire.ts';
import { knownFlakyIn, withKnownFlaky } from '#shared/results/known-flaky.ts';
import { executionsOfTests } from '#shared/results/latest-executions.ts';
import { presentWhole, readRunRows, readShownFiles } from '#shared/results/read-run.ts';
import { runOfProject } from '#shared/results/run-of-project.ts';
import { lastTraces } from '#shared/results/test-files.ts';
import { listQuarantined } from '#shared/rules/list-quarantined.ts';
import type { Services } from '#shared/services.ts';

export const handler = page({
  operationId: 'showRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  path: { runId: id },
  query: z.object(comparisonQuery),
  async show({ visit, path: { runId }, query, refused }, services) {
    const key = { organizationId: visit.organizationId, runId };
    const rows = readRunRows(services, key);
    const own = rows.then(({ run }) => run);
    const files = readShownFiles(services, key);
    const [run, nameOf, { comparison, problem, found }, quarantined] = await Promise.all([
      rows.then((read) => presentWhole(services, read, [])),
      own.then(({ cancellation }) => shownActors(services, cancellation ? [cancellation.actor] : [])),
      compareIfPossible(
        services,
        { ...key, query, project: visit.project, run: own, room: query.limit },
        async (_, sections) => evidenceOf(services, key, { sections: sections.map(shownTests), shown: await files }),
      ),
      listQuarantined(services, key),
      files,
    ]);
    runOfProject(run, visit);
    const { importId } = await own;
    const name = run.meta.title ?? run.meta.ciBuildId;
    const flakyOf = (signature: string) => knownFlakyIn(found.executionsOf({ signature }), run);
    const sections = comparison.sections.map((section) => withKnownFlaky(section, flakyOf));
    const compared = { comparison: shownComparison({ ...comparison, sections }), problem };
    return {
      title: `${runTitle(run)} · ${name}`,
      tab: 'Runs',
      breadcrumbs: [{ name: 'Runs', href: runsHref(visit) }, { name }],
      body: (
        <RunPage
          {...found}
          {...{ visit, run, compared, query, refused, nameOf, quarantined, importId }}
          now={services.now()}
        />
      ),
      problem,
    };
  },
});

interface Shown {
  readonly sections: readonly SectionTests[];
  readonly shown: readonly ShownFiles[];
}

/** The last trace of each test, and the latest executions of the first test of each card. */
async function evidenceOf(
  services: Services,
  { organizationId }: { readonly organizationId: string },
  { sections, shown }: Shown,
) {
  const [traceOf, executionsOf] = await Promise.all([
    lastTraces(services, { organizationId, shown, tests: sections.flatMap(({ tests }) => tests) }),
    executionsOfTests(services, {
      organizationId,
      tests: sections.flatMap(testsWithStrip),
      limit: FAILURE_STRIP_EXECUTIONS,
    }),
  ]);
  return { traceOf, executionsOf };
}
