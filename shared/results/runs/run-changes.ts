/** What the runs of a list changed: how many failures are new, and how long they took compared with others. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import { completeRuns, getEarlierCompleteRunsSpan, hashGroups } from '#shared/model/runs/complete-run.ts';
import { computeRunDuration, type Run, runs } from '#shared/model/runs/run.ts';
import { readMergedBuild } from '../builds/tries-of-build.ts';
import { getOpenMarks, type MarkedTests, pickCommonTests, readMarkedTests } from '../failures/marked-tests.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { RunFeedItem } from './run-wire.ts';

type Item = Pick<
  z.infer<typeof RunFeedItem>,
  'runId' | 'projectId' | 'createdAt' | 'durationMs' | 'completionState' | 'groups' | 'build'
>;

export interface RunChange {
  /** `undefined` if it is not known, for example because there is no base. The page of the run says the same number. */
  readonly newFailures?: number | undefined;
  /** The duration as a multiple of the usual one. `undefined` if too few runs of these tests are known. */
  readonly timesUsual?: number | undefined;
}

interface ListOfRuns {
  readonly organizationId: string;
  /** The default branch of the project. */
  readonly branch: string;
  readonly items: readonly Item[];
}

interface CompleteRun {
  readonly runId: string;
  readonly createdAt: number;
}

const LIMITS = RESULT_LIMITS.runChanges;
const MARKS = RESULT_LIMITS.comparison.marks;

/**
 * Reads the complete runs of the default branch with the same groups, in one query for each of the first groups, and
 * then the failures of the red runs and of their bases at once. Builds with several tries are left out.
 */
export async function readRunChanges(services: WithTable, list: ListOfRuns): Promise<ReadonlyMap<string, RunChange>> {
  const runsOfOneTry = list.items.filter(({ completionState, build }) => completionState !== 'IN_PROGRESS' && !build);
  const byGroups = Map.groupBy(runsOfOneTry, ({ groups }) => hashGroups(groups.map(({ groupId }) => groupId)));
  const { organizationId } = list;
  const readFailedTests = readOncePerRun((runId) =>
    readMarkedTests(services, { run: { organizationId, runId }, mark: 'f', limit: MARKS }),
  );
  const changes = await mapConcurrently([...byGroups].slice(0, LIMITS.groups), async ([groups, items]) => {
    const earlierRuns = await readEarlierRuns(services, list, { groups, items });
    const comparedRuns = readComparedRuns(services, list, { items, earlierRuns });
    const readBase = readOncePerRun(async (runId) => {
      const [bases, failedTests] = await Promise.all([comparedRuns, readFailedTests(runId)]);
      const base = bases.get(runId);
      const build = base?.row && (await readMergedBuild(services, base.row));
      return build ? getOpenMarks(build, 'f') : base && failedTests;
    });
    return mapConcurrently(items, async (item): Promise<[string, RunChange]> => {
      const baseRow = findBaseRow(item, earlierRuns);
      const newFailures = baseRow && (await countNewFailures(item, baseRow, { readFailedTests, readBase }));
      return [item.runId, { newFailures, timesUsual: compareWithUsual(item, earlierRuns, await comparedRuns) }];
    });
  });
  return new Map(changes.flat());
}

/** The same number as in `readRunChanges`, for the latest run of the default branch. */
export async function readTimesUsual(
  services: WithTable,
  { item, ...list }: Omit<ListOfRuns, 'items'> & { readonly item: Item },
): Promise<number | undefined> {
  if (item.build) return undefined;
  const items = [item];
  const groups = hashGroups(item.groups.map(({ groupId }) => groupId));
  const earlierRuns = await readEarlierRuns(services, list, { groups, items });
  return compareWithUsual(item, earlierRuns, await readComparedRuns(services, list, { items, earlierRuns }));
}

/** Newest first. */
async function readEarlierRuns(
  { table }: WithTable,
  { organizationId, branch }: Omit<ListOfRuns, 'items'>,
  { groups, items }: { readonly groups: string; readonly items: readonly Item[] },
): Promise<readonly CompleteRun[]> {
  const [first] = items;
  if (!first) return [];
  const { projectId } = first;
  const newestTime = Math.max(...items.map(({ createdAt }) => Date.parse(createdAt)));
  const span = getEarlierCompleteRunsSpan({ organizationId, projectId, branch, groups }, newestTime + 1);
  const { rows } = await table.query(completeRuns, span, { limit: LIMITS.earlierRuns, newestFirst: true });
  return rows.map(({ item }) => item);
}

/** The base of a run whose new failures are counted. */
function findBaseRow({ createdAt, groups }: Item, earlierRuns: readonly CompleteRun[]): CompleteRun | undefined {
  const { failures } = sumCounters(groups.map(({ tests }) => tests));
  if (failures === 0 || failures > LIMITS.failures) return undefined;
  const startTime = Date.parse(createdAt);
  return earlierRuns.find((one) => one.createdAt < startTime);
}

interface ComparedRun {
  readonly runId: string;
  readonly durationMs: number | null | undefined;
  readonly tests: number;
  /** Absent for a run of the list that is the only try of its build. */
  readonly row?: Run;
}

/** The bases, and the runs whose durations are usual. Those that are not in the list are read in one batch. */
async function readComparedRuns(
  { table }: WithTable,
  { organizationId }: Pick<ListOfRuns, 'organizationId'>,
  { items, earlierRuns }: { readonly items: readonly Item[]; readonly earlierRuns: readonly CompleteRun[] },
): Promise<ReadonlyMap<string, ComparedRun>> {
  const listedRuns = items.map(({ runId, durationMs, groups }) => ({ runId, durationMs, tests: countTests(groups) }));
  const bases = items.flatMap((item) => findBaseRow(item, earlierRuns) ?? []);
  const runIds = new Set([...earlierRuns.slice(0, LIMITS.usualRuns), ...bases].map(({ runId }) => runId));
  for (const { runId } of items) runIds.delete(runId);
  const keys = [...runIds].map((runId) => ({ organizationId, runId }));
  const otherRuns = (await table.getMany(runs, keys)).flatMap((row) => {
    if (!row) return [];
    const tests = countTests(row.groups ?? []);
    return [{ runId: row.runId, durationMs: computeRunDuration(row), tests, row }];
  });
  return new Map([...listedRuns, ...otherRuns].map((run) => [run.runId, run]));
}

const countTests = (groups: readonly { readonly tests: Counters }[]): number =>
  sumCounters(groups.map(({ tests }) => tests)).overall;

type RunReader<Result> = (runId: string) => Promise<Result>;

/** A run of a list is often the base of the next one, and of runs on other branches. */
function readOncePerRun<Result>(read: RunReader<Result>): RunReader<Result> {
  const reads = new Map<string, Promise<Result>>();
  return (runId) => {
    const reading = reads.get(runId) ?? read(runId);
    reads.set(runId, reading);
    return reading;
  };
}

interface FailureReaders {
  readonly readFailedTests: RunReader<MarkedTests>;
  /** If the build of a base has several tries, their merged view counts. */
  readonly readBase: RunReader<MarkedTests | undefined>;
}

async function countNewFailures(
  { runId }: Item,
  baseRow: CompleteRun,
  { readFailedTests, readBase }: FailureReaders,
): Promise<number | undefined> {
  const [failedTests, base] = await Promise.all([readFailedTests(runId), readBase(baseRow.runId)]);
  // If the base was deleted a moment ago, the page of the run compares with another one.
  if (!base || base.end !== undefined || failedTests.end !== undefined) return undefined;
  return pickCommonTests(failedTests, base).filter(({ place }) => !base.places.has(place)).length;
}

/** Compares with the median of the runs that executed about as many tests. */
function compareWithUsual(
  { runId, durationMs, completionState, groups }: Item,
  earlierRuns: readonly CompleteRun[],
  comparedRuns: ReadonlyMap<string, ComparedRun>,
): number | undefined {
  if (durationMs === null || completionState !== 'COMPLETE') return undefined;
  const tests = countTests(groups);
  const durations = earlierRuns
    .slice(0, LIMITS.usualRuns)
    .flatMap((one) => comparedRuns.get(one.runId) ?? [])
    .filter((one) => one.runId !== runId && Math.abs(one.tests - tests) <= LIMITS.sameTests * one.tests)
    .flatMap((one) => one.durationMs || [])
    .toSorted((one, other) => one - other);
  const median = durations[Math.floor(durations.length / 2)];
  return median === undefined || durations.length < LIMITS.leastRuns ? undefined : durationMs / median;
}
