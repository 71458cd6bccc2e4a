import * as z from 'zod';
import { shownComparison, shownTests } from '#shared/context/shown-comparison.ts';
import { id } from '#shared/model/names.ts';
import type { ShownFiles } from '#shared/model/tests/shown-files.ts';
import { shownActors } from '#shared/organizations/actor-names.ts';
import { runTitle } from '#shared/pages/design/outcome.tsx';
import { type SectionTests, type StripOf, testsWithStrip } from '#shared/pages/runs/compared-tests.tsx';
import { RunPage } from '#shared/pages/runs/run-page.tsx';
import { runsHref } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';
import { compareIfPossible } from '#shared/results/compare-runs.ts';
import { FAILING } from '#shared/results/comparison-sections.ts';
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
    const [run, nameOf, { comparison, problem, executionsOf, found }, quarantined] = await Promise.all([
      rows.then((read) => presentWhole(services, read, [])),
      own.then(({ cancellation }) => shownActors(services, cancellation ? [cancellation.actor] : [])),
      compareIfPossible(
        services,
        { ...key, query, project: visit.project, run: own, room: query.limit },
        async ({ endedAt }, sections) =>
          evidenceOf(services, { ...key, until: endedAt }, { sections: sections.map(shownTests), shown: await files }),
      ),
      listQuarantined(services, key),
      files,
    ]);
    runOfProject(run, visit);
    const { importId } = await own;
    const name = run.meta.title ?? run.meta.ciBuildId;
    const flakyOf = (signature: string) => knownFlakyIn(executionsOf({ signature })?.executions ?? [], run);
    const sections = comparison.sections.map((section) => withKnownFlaky(section, flakyOf));
    const compared = { comparison: shownComparison({ ...comparison, sections }), problem };
    const stripOf: StripOf = (test) => [executionsOf, found.executionsOf].flatMap((of) => of(test)?.executions ?? []);
    return {
      title: `${runTitle(run)} · ${name}`,
      tab: 'Runs',
      breadcrumbs: [{ name: 'Runs', href: runsHref(visit) }, { name }],
      body: (
        <RunPage
          traceOf={found.traceOf}
          {...{ stripOf, visit, run, compared, query, refused, nameOf, quarantined, importId }}
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

/**
 * The last trace of each test, and the execution strips of tests that are not failing. The comparison already has the
 * strips of failing ones.
 */
async function evidenceOf(
  services: Services,
  { organizationId, until }: { readonly organizationId: string; readonly until: number | undefined },
  { sections, shown }: Shown,
) {
  const others = sections.filter(({ verdict }) => !FAILING.has(verdict)).flatMap(testsWithStrip);
  const [traceOf, executionsOf] = await Promise.all([
    lastTraces(services, { organizationId, shown, tests: sections.flatMap(({ tests }) => tests) }),
    executionsOfTests(
      services,
      organizationId,
      others.map(({ signature }) => ({ signature, until })),
    ),
  ]);
  return { traceOf, executionsOf };
}
