/**
 * Why a run failed other than by its tests, and what else people should know before they trust its result. The page of
 * the run, the API, the failure context, comments and messages all show this list.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import type { GroupSummary, RepeatedTests, Run } from '#shared/model/runs/run.ts';
import { getProblemsSpan, runProblems } from '#shared/model/runs/run-problem.ts';
import { RESULT_LIMITS } from '../limits.ts';
import { readErrorsOutsideTests } from './errors-outside-tests.ts';
import { PROBLEM_KINDS, PROBLEMS, type ProblemKind, type RunProblem } from './problem-wire.ts';

interface Group {
  /** The tests that the group expects, those with a result, and those that failed. */
  readonly tests: Pick<GroupSummary['tests'], 'tests' | 'overall' | 'failures' | 'skipped'>;
}

/** Lists the problems of a run. Reads nothing unless the run has some. Secrets in the messages are not masked. */
export async function listProblemsOfRun(
  services: WithTable,
  run: Run,
  groups: readonly Group[],
): Promise<readonly RunProblem[]> {
  const [reportedProblems, errors] = await Promise.all([
    readReportedProblems(services, run),
    readErrorsOutsideTests(services, run),
  ]);
  const knownProblems = [
    ...reportedProblems,
    ...errors.map(({ message, machines }) => makeProblem('errorOutsideTests', message, { machines })),
  ];
  const all = [...mergeEqualProblems(knownProblems), ...deriveProblems(run, groups, knownProblems)];
  return PROBLEM_KINDS.flatMap((kind) =>
    all
      .filter((problem) => problem.kind === kind)
      .toSorted((one, other) => other.machines - one.machines)
      .slice(0, RESULT_LIMITS.problemsOfKind),
  );
}

const makeProblem = (
  kind: ProblemKind,
  message: string,
  { file = null, machines = 1 }: Partial<Pick<RunProblem, 'file' | 'machines'>> = {},
): RunProblem => ({ kind, message, file, machines, failsRun: PROBLEMS[kind].failsRun });

async function readReportedProblems({ table }: WithTable, run: Run): Promise<RunProblem[]> {
  if (!run.hasProblems) return [];
  const { rows } = await table.query(runProblems, getProblemsSpan(run), { limit: RESULT_LIMITS.problemSources });
  return rows.flatMap(({ item: { problems } }) =>
    problems.map(({ kind, message, file }) => makeProblem(kind, message, { file })),
  );
}

/** Joins equal problems, and counts how many machines or imports reported them. */
const mergeEqualProblems = (all: readonly RunProblem[]): RunProblem[] =>
  [...Map.groupBy(all, ({ kind, file, message }) => JSON.stringify([kind, file, message])).values()].flatMap(
    (equalProblems) =>
      equalProblems
        .slice(0, 1)
        .map((first) => ({ ...first, machines: equalProblems.reduce((sum, { machines }) => sum + machines, 0) })),
  );

/** The problems that follow from how the run ended. */
function deriveProblems(
  { completionState, held, jobFailed, repeated }: Run,
  groups: readonly Group[],
  knownProblems: readonly RunProblem[],
): RunProblem[] {
  const derivedProblems: RunProblem[] = [];
  const failedCount = groups.reduce((sum, { tests }) => sum + tests.failures + tests.skipped, 0);
  // Some runners and CI jobs only say that they failed, also if a test did.
  if (jobFailed && failedCount === 0 && !knownProblems.some(({ failsRun }) => failsRun))
    derivedProblems.push(makeProblem('failedJob', FAILED_JOB));
  if (completionState === 'IN_PROGRESS') return derivedProblems;
  if (repeated) derivedProblems.push(makeProblem('testsOfSeveralSources', formatRepeated(repeated)));
  const overall = groups.reduce((sum, { tests }) => sum + tests.overall, 0);
  const missingCount = groups.reduce((sum, { tests }) => sum + Math.max(0, tests.tests - tests.overall), 0);
  if (overall === 0) derivedProblems.push(makeProblem('noTests', NO_TESTS));
  if (completionState !== 'TIMEOUT') return derivedProblems;
  if (missingCount > 0) derivedProblems.push(makeProblem('missingResults', formatMissing(missingCount)));
  if (held) derivedProblems.push(makeProblem('keptOpen', KEPT_OPEN));
  return derivedProblems;
}

const FAILED_JOB = 'The job failed for a reason other than its tests, and did not say which. See the log of the CI job';
const NO_TESTS = 'No test was recorded. Check that the tests ran and wrote their report';
const KEPT_OPEN = 'The run timed out while it waited for another machine or import of the build';
const formatMissing = (missingCount: number): string =>
  `${missingCount} expected ${missingCount === 1 ? 'test' : 'tests'} never reported a result. See the spec files`;

const NAMED_TESTS = 3;

function formatRepeated({ tests, first }: RepeatedTests): string {
  const titles = first.slice(0, NAMED_TESTS).map(({ title }) => title.join(' › '));
  const more = tests - titles.length;
  const names = more > 0 ? `${titles.join(', ')} and ${more} more` : titles.join(', ');
  const were = tests === 1 ? '1 test was' : `${tests} tests were`;
  return `${were} reported by several jobs, machines or imports in the same group: ${names}. Each result counts. Give each job a group of its own (RUNDOWN_GROUP, --group) to tell them apart`;
}
