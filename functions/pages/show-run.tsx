import * as z from 'zod';
import { presentComparison, presentTests } from '#shared/context/shown-comparison.ts';
import { readShownError } from '#shared/context/shown-error.ts';
import { presentProblems } from '#shared/context/shown-problems.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { computeRunDuration } from '#shared/model/runs/run.ts';
import type { ShownFiles } from '#shared/model/tests/shown-files.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { runTitle } from '#shared/pages/design/outcome.tsx';
import { type Evidence, type SectionTests, testsWithStrip } from '#shared/pages/runs/compared-tests.tsx';
import { RunPage } from '#shared/pages/runs/run-page.tsx';
import { runsHref } from '#shared/pages/shell/hrefs.ts';
import { worthOfPicture } from '#shared/pages/tests/file-section.tsx';
import { page } from '#shared/platform/page.ts';
import { compareIfPossible } from '#shared/results/compare-runs.ts';
import { FAILING } from '#shared/results/comparison-sections.ts';
import { type ComparedTest, comparisonQuery } from '#shared/results/comparison-wire.ts';
import { addKnownFlaky, deriveKnownFlaky } from '#shared/results/known-flaky.ts';
import { addKnownIssues, readKnownIssues } from '#shared/results/known-issues.ts';
import { readExecutionsOfTests } from '#shared/results/latest-executions.ts';
import { readNextExecutions } from '#shared/results/next-executions.ts';
import { presentWholeRun, readRunRows, readShownFiles } from '#shared/results/read-run.ts';
import { requireRunOfProject } from '#shared/results/run-of-project.ts';
import { findLastTraces } from '#shared/results/test-files.ts';
import { listQuarantined } from '#shared/rules/list-quarantined.ts';
import type { Services } from '#shared/services.ts';

export const handler = page({
  operationId: 'showRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object(comparisonQuery),
  async show({ visit, path: { runId }, query, refused }, services) {
    const key = { organizationId: visit.organizationId, runId };
    const rows = readRunRows(services, key);
    const own = rows.then(({ run }) => run);
    const files = readShownFiles(services, key);
    const [run, nameOf, { comparison, problem, baseRun, executionsOf, errorOf, found }, quarantined, shown] =
      await Promise.all([
        rows.then((read) => presentWholeRun(services, read, [])),
        own.then(({ cancellation }) => loadActorNames(services, cancellation ? [cancellation.actor] : [])),
        compareIfPossible(
          services,
          { ...key, query, project: visit.project, run: own, room: query.limit },
          async (of, sections) =>
            evidenceOf(services, of, { sections: sections.map(presentTests), shown: await files }),
        ),
        listQuarantined(services, key),
        files,
      ]);
    requireRunOfProject(run, visit);
    const { importId } = await own;
    const problems = presentProblems(run.problems ?? []);
    const name = run.meta.title ?? run.meta.ciBuildId;
    const { branch } = run.meta.commit;
    const flakyOf = (signature: string) => deriveKnownFlaky(executionsOf({ signature })?.executions ?? [], run);
    const sections = comparison.sections.map((section) =>
      addKnownIssues(addKnownFlaky(section, flakyOf), found.issuesBy),
    );
    const compared = { comparison: presentComparison({ ...comparison, sections }), problem };
    const evidence: Evidence = {
      stripOf: (test) => [executionsOf, found.executionsOf].flatMap((of) => of(test)?.executions ?? []),
      traceOf: found.traceOf,
      nextOf: found.nextOf,
      pictureOf: picturesIn(shown),
      readingOf: readingsOf(
        sections.flatMap(({ tests }) => tests),
        (test) => {
          const error = errorOf(test);
          return error && readShownError(error);
        },
      ),
    };
    return {
      title: `${runTitle(run)} · ${name}`,
      tab: 'Runs',
      breadcrumbs: [
        { name: 'Runs', href: runsHref(visit) },
        ...(branch === null ? [] : [{ name: branch, href: runsHref(visit, { 'branches[]': [branch] }) }]),
        { name: run.meta.ciBuildId },
      ],
      body: (
        <RunPage
          {...{ visit, run, compared, query, evidence, refused, nameOf, quarantined, importId, problems }}
          baseDuration={baseRun && computeRunDuration(baseRun)}
          now={services.now()}
        />
      ),
      problem,
    };
  },
});

/** Reads the error of each test once, and returns a function that looks up the result. */
function readingsOf(tests: readonly ComparedTest[], read: Evidence['readingOf']): Evidence['readingOf'] {
  const readings = new Map(tests.map((test) => [`${test.instanceId} ${test.testId}`, read(test)]));
  return ({ instanceId, testId }) => readings.get(`${instanceId} ${testId}`);
}

/** Returns a function that finds the object name of the best picture of a test's last attempt that has pictures. */
function picturesIn(shown: readonly ShownFiles[]): Evidence['pictureOf'] {
  const byInstance = new Map(shown.map((files) => [files.instanceId, Object.entries(files.pictures)]));
  return ({ instanceId, testId }) =>
    byInstance
      .get(instanceId)
      ?.filter(([, { d, b }]) => d === testId && b !== null)
      .map(([objectName, { a: attempt, n: name, f: fileName }]) => ({
        objectName,
        attempt,
        worth: worthOfPicture({ name, fileName }),
      }))
      .filter(({ worth }) => worth > 0)
      .toSorted((one, other) => one.attempt - other.attempt || one.worth - other.worth)
      .at(-1)?.objectName;
}

interface Shown {
  readonly sections: readonly SectionTests[];
  readonly shown: readonly ShownFiles[];
}

/**
 * Reads four kinds of data: the last trace of each test, the next execution of each newly failing test after this run,
 * the past executions of tests that are not failing, and the known issues of the project. The comparison already
 * contains the past executions of failing tests.
 */
async function evidenceOf(services: Services, run: Run, { sections, shown }: Shown) {
  const others = sections.filter(({ verdict }) => !FAILING.has(verdict)).flatMap(testsWithStrip);
  const { organizationId, endedAt: until } = run;
  const suspects = sections.filter(({ verdict }) => verdict === 'new').flatMap(({ tests }) => tests);
  const [traceOf, nextOf, executionsOf, issuesBy] = await Promise.all([
    findLastTraces(services, { organizationId, shown, tests: sections.flatMap(({ tests }) => tests) }),
    readNextExecutions(services, run, suspects),
    readExecutionsOfTests(
      services,
      organizationId,
      others.map(({ signature }) => ({ signature, until })),
    ),
    readKnownIssues(services, run),
  ]);
  return { traceOf, nextOf, executionsOf, issuesBy };
}
