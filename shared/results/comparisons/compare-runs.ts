/** Compares a run with an earlier one: which failures are new, which are known, and which tests pass again. */
import { ApiError, invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { findProject } from '#shared/find-project.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import type { MergedBuild } from '../builds/merged-build.ts';
import { readShownBuild } from '../builds/tries-of-build.ts';
import { addKnownFlaky } from '../executions/known-flaky.ts';
import { addKnownIssues, readKnownIssues } from '../failures/known-issues.ts';
import { readMarksOfBuild, readMarksOfRun } from '../failures/marked-tests.ts';
import { sortByBase, sortWithoutBase } from './compare-tests.ts';
import {
  type DetailsReader,
  readLikelyTests,
  readSections,
  type SectionsResult,
  type SpecFile,
} from './comparison-sections.ts';
import type { ComparisonQuery, RunComparison } from './comparison-wire.ts';
import { type Base, findBase, readChosenBase } from './find-base.ts';

interface CompareRequest extends RunKey {
  readonly query: ComparisonQuery;
  /** The project and the run, if the caller has already read them. */
  readonly project?: ProjectRecord;
  readonly run?: Run;
  /** The spec files of the run, if the caller has read them. Failures of the base in other files are then left out. */
  readonly files?: Promise<readonly SpecFile[]>;
  /** The maximum number of tests in all sections together. */
  readonly room?: number;
  /** Whether later executions of new failures are to be read, too. */
  readonly withLater?: boolean;
}

export interface ComparedOrProblem {
  readonly comparison: RunComparison;
  /** The reason why the chosen run cannot be the base. The comparison then uses the default base. */
  readonly problem: ApiError | undefined;
}

/** Throws if a run does not exist, or if the chosen run cannot be the base. Error messages are not shortened. */
export async function compareRuns(services: Services, request: CompareRequest): Promise<RunComparison> {
  const {
    comparison,
    problem,
    details: issuesBy,
  } = await compareIfPossible(services, request, (run) => readKnownIssues(services, run));
  if (problem) throw problem;
  return { ...comparison, sections: comparison.sections.map((section) => addKnownIssues(section, issuesBy)) };
}

/**
 * Uses the default base if the chosen run cannot be the base. Usually takes three round trips to the table if run and
 * project are passed, and one more for each of them otherwise. In the last, `readDetails` reads further data about the tests.
 */
export async function compareIfPossible<Details>(
  services: Services,
  request: CompareRequest,
  readDetails: DetailsReader<Details>,
): Promise<ComparedOrProblem & Omit<SectionsResult<Details>, 'sections'> & { readonly baseRun: Run | undefined }> {
  const { organizationId, runId, query, room } = request;
  if (query.page > 0 && query.verdict === undefined)
    throw invalidRequest('`page` needs `verdict`, which selects the section to page through');
  const key = { organizationId, runId };
  const run = request.run ?? (await services.table.get(runs, key)) ?? refuse(notFound('Run'));
  const build = await readShownBuild(services, run);
  const readingMarks = build ? readMarksOfBuild(services, build) : readMarksOfRun(services, key);
  const sectionsQuery = { ...query, room, withLater: request.withLater };
  // Only a page shows so few tests in total that it is known which they are before the base is.
  const isPredictable = room !== undefined && query.verdict === undefined && query.cause === undefined;
  const [marks, { branch, base, problem }, filesOfRun, knownTests] = await Promise.all([
    readingMarks,
    readRequestedBase(services, run, request, build),
    request.files,
    isPredictable ? readingMarks.then((marks) => readLikelyTests(services, run, marks, sectionsQuery)) : undefined,
  ]);
  const sortedTests = base ? sortByBase(marks, base.failed) : sortWithoutBase(marks);
  // A later try of a build usually has only some of its files.
  const files = build ? undefined : filesOfRun;
  const sides = { run, branch, sorted: sortedTests, tries: build?.tries ?? [run], files, known: knownTests };
  const { sections: unmarkedSections, ...read } = await readSections(services, sides, sectionsQuery, readDetails);
  const sections = await addKnownFlaky(services, run, unmarkedSections, read.executionsOf);
  const comparison = {
    runId,
    projectId: run.projectId,
    base: base ? presentBase(base) : null,
    baseBranch: branch,
    isWhole: sortedTests.cutVerdicts.length === 0,
    sections: sections.map((section) =>
      sortedTests.cutVerdicts.includes(section.verdict) ? { ...section, isLowerBound: true as const } : section,
    ),
  };
  return { comparison, problem, baseRun: base?.run, ...read };
}

/** The chosen base, or the default one. The project is read unless it is known. */
async function readRequestedBase(
  services: Services,
  run: Run,
  { query, project }: CompareRequest,
  build: MergedBuild | undefined,
): Promise<{ readonly branch: string; readonly base: Base | undefined; readonly problem: ApiError | undefined }> {
  const branch = (project ?? (await findProject(services, run))).defaultBranchName;
  const chosenBase =
    query.base_run_id === undefined ? undefined : await readChosenBase(services, run, query.base_run_id);
  const problem = chosenBase instanceof ApiError ? chosenBase : undefined;
  const base =
    chosenBase instanceof ApiError || !chosenBase ? await findBase(services, run, branch, build) : chosenBase;
  return { branch, base, problem };
}

function presentBase({ run }: Base): RunComparison['base'] {
  const { runId, ciBuildId, createdAt, commit, status } = run;
  const { branch, sha, message } = commit;
  const title = message?.split('\n', 1)[0] ?? null;
  const verdict = status === 'PASSED' ? ('PASSED' as const) : ('FAILED' as const);
  return { runId, ciBuildId, branch, sha, title, createdAt: formatIsoTime(createdAt), status: verdict };
}
