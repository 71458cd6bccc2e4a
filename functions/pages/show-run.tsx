import * as z from 'zod';
import { presentComparison, presentTests } from '#shared/context/shown-comparison.ts';
import { readShownError } from '#shared/context/shown-error.ts';
import { presentProblems } from '#shared/context/shown-problems.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { computeRunDuration } from '#shared/model/runs/run.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { formatRunTabTitle } from '#shared/pages/design/outcome.tsx';
import { type Evidence, listTestsWithStrip, type SectionTests } from '#shared/pages/runs/compared-tests.tsx';
import { RunPage } from '#shared/pages/runs/run-page.tsx';
import { linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { rankPicture } from '#shared/pages/tests/file-section.tsx';
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
    const storedRun = rows.then(({ run }) => run);
    const files = readShownFiles(services, key);
    const [run, nameOf, { comparison, problem, baseRun, executionsOf, errorOf, found }, quarantinedTests, shownFiles] =
      await Promise.all([
        rows.then((read) => presentWholeRun(services, read, [])),
        storedRun.then(({ cancellation }) => loadActorNames(services, cancellation ? [cancellation.actor] : [])),
        compareIfPossible(
          services,
          { ...key, query, project: visit.project, run: storedRun, room: query.limit },
          async (of, sections) =>
            readEvidence(services, of, { sections: sections.map(presentTests), shown: await files }),
        ),
        listQuarantined(services, key),
        files,
      ]);
    requireRunOfProject(run, visit);
    const { importId } = await storedRun;
    const problems = presentProblems(run.problems ?? []);
    const name = run.meta.title ?? run.meta.ciBuildId;
    const { branch } = run.meta.commit;
    const flakyOf = (signature: string) => deriveKnownFlaky(executionsOf({ signature })?.executions ?? [], run);
    const sections = comparison.sections.map((section) =>
      addKnownIssues(addKnownFlaky(section, flakyOf), found.issuesBy),
    );
    const comparedRuns = { comparison: presentComparison({ ...comparison, sections }), problem };
    const evidence: Evidence = {
      stripOf: (test) => [executionsOf, found.executionsOf].flatMap((of) => of(test)?.executions ?? []),
      traceOf: found.traceOf,
      nextOf: found.nextOf,
      pictureOf: makePictureFinder(shownFiles),
      readingOf: readErrorsOnce(
        sections.flatMap(({ tests }) => tests),
        (test) => {
          const error = errorOf(test);
          return error && readShownError(error);
        },
      ),
    };
    return {
      title: `${formatRunTabTitle(run)} · ${name}`,
      tab: 'Runs',
      breadcrumbs: [
        { name: 'Runs', href: linkToRuns(visit) },
        ...(branch === null ? [] : [{ name: branch, href: linkToRuns(visit, { 'branches[]': [branch] }) }]),
        { name: run.meta.ciBuildId },
      ],
      body: (
        <RunPage
          {...{
            visit,
            run,
            compared: comparedRuns,
            query,
            evidence,
            refused,
            nameOf,
            quarantined: quarantinedTests,
            importId,
            problems,
          }}
          baseDuration={baseRun && computeRunDuration(baseRun)}
          now={services.now()}
        />
      ),
      problem,
    };
  },
});

function readErrorsOnce(tests: readonly ComparedTest[], read: Evidence['readingOf']): Evidence['readingOf'] {
  const readings = new Map(tests.map((test) => [`${test.instanceId} ${test.testId}`, read(test)]));
  return ({ instanceId, testId }) => readings.get(`${instanceId} ${testId}`);
}

/** Returns a function that finds the object name of the best picture of a test's last attempt that has pictures. */
function makePictureFinder(shownFiles: readonly ShownFiles[]): Evidence['pictureOf'] {
  const byInstance = new Map(shownFiles.map((files) => [files.instanceId, Object.entries(files.pictures)]));
  return ({ instanceId, testId }) =>
    byInstance
      .get(instanceId)
      ?.filter(([, { d, b }]) => d === testId && b !== null)
      .map(([objectName, { a: attempt, n: name, f: fileName }]) => ({
        objectName,
        attempt,
        worth: rankPicture({ name, fileName }),
      }))
      .filter(({ worth }) => worth > 0)
      .toSorted((one, other) => one.attempt - other.attempt || one.worth - other.worth)
      .at(-1)?.objectName;
}

interface EvidenceInput {
  readonly sections: readonly SectionTests[];
  readonly shown: readonly ShownFiles[];
}

/** The comparison already contains the past executions of failing tests, so they are read only for the others. */
async function readEvidence(services: Services, run: Run, { sections, shown }: EvidenceInput) {
  const others = sections.filter(({ verdict }) => !FAILING.has(verdict)).flatMap(listTestsWithStrip);
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
