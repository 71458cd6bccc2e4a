/** Compares a run with an earlier one: which failures are new, which are known, and which tests pass again. */
import { ApiError, invalidRequest, notFound, refuse } from '#shared/engine/errors.ts';
import type { Mark } from '#shared/model/failures.ts';
import { type ProjectRecord, projects } from '#shared/model/project.ts';
import { type Run, runs } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import { type Marks, type Sorted, sortByBase, sortWithoutBase } from './compare-tests.ts';
import { describeTests } from './compared-tests.ts';
import type { ComparedTest, ComparisonQuery, RunComparison } from './comparison-wire.ts';
import { failingSince } from './failing-since.ts';
import { type Base, chosenBase, findBase } from './find-base.ts';
import { withKnownFlaky } from './known-flaky.ts';
import { RESULT_LIMITS } from './limits.ts';
import { type MarkedTest, markedTests } from './marked-tests.ts';
import { isoTime } from './test-result.ts';

interface Asked {
  readonly organizationId: string;
  readonly runId: string;
  readonly query: ComparisonQuery;
  /** Read if absent. */
  readonly project?: ProjectRecord;
}

export interface Compared {
  readonly comparison: RunComparison;
  /** The reason why the chosen run cannot be the base. The comparison then has the default base. */
  readonly problem: ApiError | undefined;
}

/** Also tells known flaky tests. Throws if the chosen run cannot be the base. Error messages are not cut. */
export async function compareRuns(services: Services, asked: Asked): Promise<RunComparison> {
  const { run, comparison, problem } = await compareIfPossible(services, asked);
  if (problem) throw problem;
  return withKnownFlaky(services, run, comparison);
}

export async function compareIfPossible(services: Services, asked: Asked): Promise<Compared & { readonly run: Run }> {
  const { organizationId, runId, query } = asked;
  if (query.page > 0 && query.verdict === undefined)
    throw invalidRequest('`page` needs `verdict`, because each section has its own pages');
  const key = { organizationId, runId };
  const [found, failed, skipped, flaky] = await Promise.all([
    services.table.get(runs, key),
    marksOf(services, key, 'f'),
    marksOf(services, key, 's'),
    marksOf(services, key, 'y'),
  ]);
  const run = found ?? refuse(notFound('Run'));
  const branch = (asked.project ?? (await projectOf(services, run))).defaultBranchName;
  const chosen = query.base_run_id === undefined ? undefined : await chosenBase(services, run, query.base_run_id);
  const problem = chosen instanceof ApiError ? chosen : undefined;
  const base = chosen instanceof ApiError || !chosen ? await findBase(services, run, branch) : chosen;
  const sorted = await sort(services, run, { failed, skipped, flaky }, base);
  const comparison = {
    ...{ runId, projectId: run.projectId },
    base: base ? presentBase(base.run) : null,
    ...{ baseBranch: branch, isWhole: sorted.isWhole },
    sections: await sectionsOf(services, { run, base, sorted }, query),
  };
  return { run, comparison, problem };
}

const marksOf = (services: Services, run: Pick<Run, 'organizationId' | 'runId'>, mark: Mark) =>
  markedTests(services, { run, mark, limit: RESULT_LIMITS.comparison.marks });

const projectOf = async ({ table }: Services, run: Run): Promise<ProjectRecord> =>
  (await table.get(projects, run)) ?? refuse(notFound('Project'));

async function sort(services: Services, run: Run, marks: Marks, base: Base | undefined): Promise<Sorted> {
  if (!base) return sortWithoutBase(marks);
  return sortByBase(services, run, marks, await marksOf(services, base.run, 'f'));
}

function presentBase({ runId, ciBuildId, createdAt, commit, status }: Run): RunComparison['base'] {
  const { branch, sha, message } = commit;
  const title = message?.split('\n', 1)[0] ?? null;
  const verdict = status === 'PASSED' ? ('PASSED' as const) : ('FAILED' as const);
  return { ...{ runId, ciBuildId, branch, sha, title }, createdAt: isoTime(createdAt), status: verdict };
}

interface Side {
  readonly run: Run;
  readonly base: Base | undefined;
  readonly sorted: Sorted;
}

/** Reads only what the sections show. */
async function sectionsOf(
  services: Services,
  { run, base, sorted }: Side,
  { verdict: only, limit, page }: ComparisonQuery,
): Promise<RunComparison['sections']> {
  const pages = sorted.byVerdict.map(([verdict, all]) => {
    const isShown = only === undefined || only === verdict;
    const ordered = isShown ? all.toSorted(bySpec).slice(page * limit, (page + 1) * limit) : [];
    const nextPage: number | false = isShown && (page + 1) * limit < all.length ? page + 1 : false;
    return { verdict, total: all.length, nextPage, shown: ordered.map((test) => ({ verdict, test })) };
  });
  const shown = pages.flatMap((section) => section.shown);
  const still = shown.filter(({ verdict }) => verdict === 'still_failing').map(({ test }) => test);
  const [testsOf, sinceOf] = await Promise.all([
    describeTests(services, run, shown),
    base && still.length > 0 && !base.isChosen ? failingSince(services, base, still) : undefined,
  ]);
  return pages.map(({ shown: own, ...section }) => ({
    ...section,
    tests: own.flatMap((one) =>
      testsOf(one).map((test): ComparedTest => {
        if (!sinceOf || one.verdict !== 'still_failing') return test;
        return { ...test, failingSince: sinceOf(one.test) };
      }),
    ),
  }));
}

function bySpec(one: MarkedTest, other: MarkedTest): number {
  const [left = '', right = ''] = [one, other].map(({ spec, groupId, place }) =>
    JSON.stringify([spec, groupId, place]),
  );
  return left < right ? -1 : 1;
}
