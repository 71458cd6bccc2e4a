/** Reads the comparison of a run with an earlier one, and what the page of the run shows of its tests besides. */
import { presentComparison, presentTests } from '#shared/context/shown-comparison.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { type ComparedOrProblem, compareIfPossible } from '#shared/results/comparisons/compare-runs.ts';
import { FAILING } from '#shared/results/comparisons/comparison-sections.ts';
import type { ComparisonQuery } from '#shared/results/comparisons/comparison-wire.ts';
import { readExecutionsOfTests } from '#shared/results/executions/latest-executions.ts';
import { makeNextFinder } from '#shared/results/executions/next-executions.ts';
import { addKnownIssues, readKnownIssues } from '#shared/results/failures/known-issues.ts';
import { findLastTraces } from '#shared/results/instances/last-traces.ts';
import { type RunInRows, readShownFiles } from '#shared/results/runs/read-run.ts';
import { listProjectQuarantines, matchQuarantines } from '#shared/rules/quarantines.ts';
import type { Services } from '#shared/services.ts';
import { listTestsWithStrip, type SectionTests } from './compared-tests.tsx';
import { type Evidence, makeErrorEvidence } from './evidence.ts';
import { makePictureFinder } from './failure-picture.tsx';

interface ComparedRunRequest {
  readonly project: ProjectRecord;
  readonly run: Run;
  /** The rows of the run, which the page needs, too. They are read at the same time. */
  readonly rows: Promise<RunInRows>;
  readonly query: ComparisonQuery;
  /** Whether the person may see rules. */
  readonly withRules: boolean;
}

export interface ComparedRun extends ComparedOrProblem {
  readonly baseRun: Run | undefined;
  /** Tests that failed in the base run and whose spec file is not part of this run. */
  readonly absentCount: number;
  readonly evidence: Evidence;
}

/** Error messages in the comparison are masked and shortened. */
export async function readComparedRun(
  services: Services,
  { project, run, rows, query, withRules }: ComparedRunRequest,
): Promise<ComparedRun> {
  const { organizationId, runId } = run;
  const reading = readShownFiles(services, run);
  const request = {
    organizationId,
    runId,
    project,
    run,
    query,
    files: rows.then(({ files }) => files),
    room: query.limit,
    withLater: true,
  };
  const [
    { comparison, problem, baseRun, absentCount, executionsOf, errorsOf, details },
    issuesBy,
    shownFiles,
    quarantines,
  ] = await Promise.all([
    compareIfPossible(services, request, async (comparedRun, sections) =>
      readTracesAndStrips(services, comparedRun, { sections: sections.map(presentTests), shown: await reading }),
    ),
    readKnownIssues(services, run),
    reading,
    withRules ? listProjectQuarantines(services, run) : [],
  ]);
  const sections = comparison.sections.map((section) => addKnownIssues(section, issuesBy));
  const evidence: Evidence = {
    ...makeErrorEvidence(errorsOf),
    stripOf: (test) => [executionsOf, details.executionsOf].flatMap((lookUp) => lookUp(test)?.executions ?? []),
    traceOf: details.traceOf,
    nextOf: makeNextFinder((await rows).run, executionsOf),
    pictureOf: makePictureFinder(shownFiles),
    quarantineOf: matchQuarantines(
      quarantines,
      sections.flatMap(({ tests }) => tests),
    ),
  };
  return { comparison: presentComparison({ ...comparison, sections }), problem, baseRun, absentCount, evidence };
}

interface ShownTests {
  readonly sections: readonly SectionTests[];
  readonly shown: readonly ShownFiles[];
}

/** The comparison already contains the past executions of failing tests, so they are read only for the others. */
async function readTracesAndStrips(services: Services, run: Run, { sections, shown }: ShownTests) {
  const { organizationId, endedAt: until } = run;
  const otherTests = sections.filter(({ verdict }) => !FAILING.has(verdict)).flatMap(listTestsWithStrip);
  const histories = otherTests.map(({ signature }) => ({ signature, until }));
  const [traceOf, executionsOf] = await Promise.all([
    findLastTraces(services, { organizationId, shown, tests: sections.flatMap(({ tests }) => tests) }),
    readExecutionsOfTests(services, organizationId, histories),
  ]);
  return { traceOf, executionsOf };
}
