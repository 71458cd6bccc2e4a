/** Reads the current summaries and the pending runs of a period. */
import { invalidRequest } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, type SpanRoot, spanRoots } from '#shared/model/analytics/root.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { isWithin, keepOldestRuns, pickNewestChanges, unpackPendingEntries } from './pending-entries.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from './read-model.ts';
import { readIndexes, type SpanIndex } from './span-index.ts';
import { type Cover, findLeafRange, SpanTree } from './span-tree.ts';

/** What an analytics query asks for. */
export interface Question {
  readonly scope: AnalyticsScope;
  readonly period: Period;
  readonly filter: AnalyticsFilter;
  /** Highest level of the summaries to read, for queries that need short time slices. Default: any level. */
  readonly level?: number | undefined;
}

interface Snapshot extends Cover {
  /** Run groups of the period that no summary contains yet. */
  readonly pending: readonly PendingEntry[];
  /** Of the spans that the caller asked for. */
  readonly indexes: ReadonlyMap<SpanRoot, SpanIndex>;
}

/**
 * `cutSpans` needs the indexes of the spans in `partial`, which the period cuts off. `allSpans` also needs those of the
 * spans in `whole`. Both include the indexes of leaf spans with pending runs.
 */
export async function takeSnapshot(
  services: WithTable,
  { scope, period, level }: Omit<Question, 'filter'>,
  neededIndexes: 'cutSpans' | 'allSpans',
): Promise<Snapshot> {
  if (period.to - period.from > ANALYTICS_LIMITS.days * DAY_MILLISECONDS)
    throw invalidRequest(`The dates are more than ${ANALYTICS_LIMITS.days} days apart. Choose a shorter range`);
  if (period.to <= period.from) return { whole: [], partial: [], pending: [], indexes: new Map() };
  // Reads the pending rows before the root rows of the spans. A merge writes the root before it deletes the pending
  // rows, so this order finds each run at least once.
  const pendingSpan = getPendingRunsSpan(scope, getLeaf(period.from), getLeaf(period.to - 1));
  const rows = await services.table.queryAll(pendingRuns, pendingSpan, { consistent: true });
  const { first, last } = findLeafRange(period);
  const roots = await services.table.queryAll(spanRoots, getRootsSpan(scope, first, last), { consistent: true });
  const tree = new SpanTree(roots);
  const pendingEntries = unpackPendingEntries(pickNewestChanges(rows)).filter((entry) => isWithin(period, entry));
  const { whole, partial } = tree.cover(period, level);
  // Of the leaf spans with pending runs, if they have summaries.
  const pendingRoots = [...new Set(pendingEntries.map(({ createdAt }) => getLeaf(createdAt)))]
    .flatMap((start) => tree.rootOf({ level: 0, start }) ?? [])
    .filter(({ entries }) => entries > 0);
  // Reads all indexes in one batch, because another round trip would take milliseconds, and an index that is not needed
  // costs only half a read unit.
  const wholeToIndex = neededIndexes === 'allSpans' ? whole : [];
  const rootsToIndex = [...new Set([...wholeToIndex, ...partial, ...pendingRoots])];
  const indexes = new Map<SpanRoot, SpanIndex>();
  for (const [place, index] of (await readIndexes(services, rootsToIndex)).entries()) {
    const root = rootsToIndex[place];
    if (root) indexes.set(root, index);
  }
  // Leaves out pending runs that the summary of their leaf span already contains. Such a run was just merged, or has a
  // correction that waits for the next merge.
  const mergedRunKeys = new Set(pendingRoots.flatMap((root) => indexes.get(root)?.entries ?? []).map(toRunKey));
  return {
    whole,
    partial,
    indexes,
    pending: keepOldestRuns(pendingEntries.filter((entry) => !mergedRunKeys.has(toRunKey(entry)))),
  };
}

/** Includes the leaf span, because a run that was deleted and recorded again has the same run id. */
const toRunKey = ({ runId, createdAt }: PendingEntry): string => `${runId} ${getLeaf(createdAt)}`;
