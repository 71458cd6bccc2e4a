/** What the runs of a list changed: how many failures are new, and how long they took compared with others. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { sumCounters } from '#shared/model/results/outcomes.ts';
import { completeRuns, getEarlierCompleteRunsSpan, hashGroups } from '#shared/model/runs/complete-run.ts';
import { computeRunDuration, runs } from '#shared/model/runs/run.ts';
import { type Base, readBase } from '../comparisons/find-base.ts';
import { pickCommonTests, readMarkedTests } from '../failures/marked-tests.ts';
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

/**
 * Reads the complete runs of the default branch with the same groups, in one query for each of the first groups, and
 * then the failures of the red runs and of their bases at once. Builds with several tries are left out.
 */
export async function readRunChanges(services: WithTable, list: ListOfRuns): Promise<ReadonlyMap<string, RunChange>> {
  const runsOfOneTry = list.items.filter(({ completionState, build }) => completionState !== 'IN_PROGRESS' && !build);
  const byGroups = Map.groupBy(runsOfOneTry, ({ groups }) => hashGroups(groups.map(({ groupId }) => groupId)));
  const readBaseOnce = makeBaseReader(services, list);
  const changes = await mapConcurrently([...byGroups].slice(0, LIMITS.groups), async ([groups, items]) => {
    const earlierRuns = await readEarlierRuns(services, list, { groups, items });
    const sizes = readUsualSizes(services, list, earlierRuns);
    return mapConcurrently(items, async (item): Promise<[string, RunChange]> => {
      const newFailures = await countNewFailures(services, list, { item, earlierRuns, readBaseOnce });
      return [item.runId, { newFailures, timesUsual: compareWithUsual(item, await sizes) }];
    });
  });
  return new Map(changes.flat());
}

/** Newest first. */
async function readEarlierRuns(
  { table }: WithTable,
  { organizationId, branch }: ListOfRuns,
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

type BaseReader = (runId: string) => Promise<Base | undefined>;

/** Runs of a list often have the same base. */
function makeBaseReader(services: WithTable, { organizationId }: ListOfRuns): BaseReader {
  const bases = new Map<string, Promise<Base | undefined>>();
  return (runId) => {
    const base = bases.get(runId) ?? readBase(services, { organizationId, runId });
    bases.set(runId, base);
    return base;
  };
}

interface Comparable {
  readonly item: Item;
  readonly earlierRuns: readonly CompleteRun[];
  readonly readBaseOnce: BaseReader;
}

async function countNewFailures(
  services: WithTable,
  { organizationId }: ListOfRuns,
  { item, earlierRuns, readBaseOnce }: Comparable,
): Promise<number | undefined> {
  const { failures } = sumCounters(item.groups.map(({ tests }) => tests));
  const createdAt = Date.parse(item.createdAt);
  const baseRow = earlierRuns.find((one) => one.createdAt < createdAt);
  if (failures === 0 || failures > LIMITS.failures || !baseRow) return undefined;
  const run = { organizationId, runId: item.runId };
  const [failedTests, base] = await Promise.all([
    readMarkedTests(services, { run, mark: 'f', limit: LIMITS.failures }),
    readBaseOnce(baseRow.runId),
  ]);
  // If the base was deleted a moment ago, the page of the run compares with another one.
  if (!base || base.failed.end !== undefined || failedTests.end !== undefined) return undefined;
  return pickCommonTests(failedTests, base.failed).filter(({ place }) => !base.failed.places.has(place)).length;
}

interface Size {
  readonly runId: string;
  readonly durationMs: number;
  readonly tests: number;
}

async function readUsualSizes(
  { table }: WithTable,
  { organizationId }: ListOfRuns,
  earlierRuns: readonly CompleteRun[],
): Promise<Size[]> {
  const keys = earlierRuns.slice(0, LIMITS.usualRuns).map(({ runId }) => ({ organizationId, runId }));
  const rows = await table.getMany(runs, keys);
  return rows.flatMap((run) => {
    const durationMs = run && computeRunDuration(run);
    if (!durationMs || !run.groups) return [];
    return [{ runId: run.runId, durationMs, tests: sumCounters(run.groups.map(({ tests }) => tests)).overall }];
  });
}

/** Compares with the median of the runs that executed about as many tests. */
function compareWithUsual(
  { runId, durationMs, completionState, groups }: Item,
  sizes: readonly Size[],
): number | undefined {
  if (durationMs === null || completionState !== 'COMPLETE') return undefined;
  const count = sumCounters(groups.map(({ tests }) => tests)).overall;
  const durations = sizes
    .filter((one) => one.runId !== runId && Math.abs(one.tests - count) <= LIMITS.sameTests * one.tests)
    .map((one) => one.durationMs)
    .toSorted((one, other) => one - other);
  const median = durations[Math.floor(durations.length / 2)];
  return median === undefined || durations.length < LIMITS.leastRuns ? undefined : durationMs / median;
}
