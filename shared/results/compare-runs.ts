/** Compares a run with an earlier one: which failures are new, which are known, and which tests pass again. */
import { ApiError, invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { findProject } from '#shared/find-project.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { sortByBase, sortWithoutBase } from './compare-tests.ts';
import { type Beside, type Read, readSections } from './comparison-sections.ts';
import type { ComparisonQuery, RunComparison } from './comparison-wire.ts';
import { type Base, chosenBase, findBase } from './find-base.ts';
import { knownFlakyAmong, withKnownFlaky } from './known-flaky.ts';
import { knownIssuesOf, withKnownIssues } from './known-issues.ts';
import { marksOfBuild, marksOfRun } from './marked-tests.ts';
import { shownBuild } from './tries-of-build.ts';

interface Asked extends RunKey {
  readonly query: ComparisonQuery;
  /** The project and the run, if the caller has already read them. */
  readonly project?: ProjectRecord;
  readonly run?: Promise<Run>;
  /** The maximum number of tests in all sections together. */
  readonly room?: number;
}

export interface ComparedOrProblem {
  readonly comparison: RunComparison;
  /** The reason why the chosen run cannot be the base. The comparison then uses the default base. */
  readonly problem: ApiError | undefined;
}

/**
 * Compares a run with its base, and marks known flaky tests and tests with known issues. Throws if one of the runs does
 * not exist, or if the chosen run cannot be the base. The error messages of tests are not shortened.
 */
export async function compareRuns(services: Services, asked: Asked): Promise<RunComparison> {
  const { comparison, problem, found } = await compareIfPossible(services, asked, (run, sections) =>
    Promise.all([knownFlakyAmong(services, run, sections), knownIssuesOf(services, run)]),
  );
  if (problem) throw problem;
  const [flakyOf, issuesBy] = found;
  const sections = comparison.sections.map((section) => withKnownIssues(withKnownFlaky(section, flakyOf), issuesBy));
  return { ...comparison, sections };
}

/**
 * Compares a run with its base, or with the default base if the chosen run cannot be the base. Usually takes five round
 * trips to the table, or six if it has to read the project. In the last of them, `beside` reads further data about the
 * tests.
 */
export async function compareIfPossible<Found>(
  services: Services,
  asked: Asked,
  beside: Beside<Found>,
): Promise<ComparedOrProblem & Omit<Read<Found>, 'sections'> & { readonly baseRun: Run | undefined }> {
  const { organizationId, runId, query, room } = asked;
  if (query.page > 0 && query.verdict === undefined)
    throw invalidRequest('`page` needs `verdict`, which selects the section to page through');
  const key = { organizationId, runId };
  const [run = refuse(notFound('Run')), ownMarks] = await Promise.all([
    asked.run ?? services.table.get(runs, key),
    marksOfRun(services, key),
  ]);
  const build = await shownBuild(services, run);
  const marks = build ? await marksOfBuild(services, build) : ownMarks;
  const branch = (asked.project ?? (await findProject(services, run))).defaultBranchName;
  const chosen = query.base_run_id === undefined ? undefined : await chosenBase(services, run, query.base_run_id);
  const problem = chosen instanceof ApiError ? chosen : undefined;
  const base = chosen instanceof ApiError || !chosen ? await findBase(services, run, branch, build) : chosen;
  const sorted = base ? sortByBase(marks, base.failed) : sortWithoutBase(marks);
  const sides = { run, branch, sorted, tries: build?.tries ?? [run] };
  const { sections, ...read } = await readSections(services, sides, { ...query, room }, beside);
  const comparison = {
    runId,
    projectId: run.projectId,
    base: base ? presentBase(base) : null,
    baseBranch: branch,
    isWhole: sorted.isWhole,
    sections,
  };
  return { comparison, problem, baseRun: base?.run, ...read };
}

function presentBase({ run }: Base): RunComparison['base'] {
  const { runId, ciBuildId, createdAt, commit, status } = run;
  const { branch, sha, message } = commit;
  const title = message?.split('\n', 1)[0] ?? null;
  const verdict = status === 'PASSED' ? ('PASSED' as const) : ('FAILED' as const);
  return { runId, ciBuildId, branch, sha, title, createdAt: formatIsoTime(createdAt), status: verdict };
}
