/** The current summaries and pending runs of a period. */

import { invalidRequest, refuse } from '#shared/engine/errors.ts';
import { leafOf } from '#shared/model/analytics/pending.ts';
import { rootsSpan, type SpanRoot, spanRoots } from '#shared/model/analytics/root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { CoreServices } from '#shared/services.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { isWithin, newestOfRuns, oldestOfLeaves, pendingEntriesOf, readPending } from './pending-entries.ts';
import type { AnalyticsScope, Period } from './read-model.ts';
import { readIndexes, type SpanIndex } from './span-index.ts';
import { leavesOf, SpanTree } from './span-tree.ts';

export interface Snapshot {
  /** Spans all of whose runs are in the period. */
  readonly whole: readonly SpanRoot[];
  /** Leaves with runs inside and outside of the period. */
  readonly partial: readonly SpanRoot[];
  /** Run-groups of the period that no summary contains. */
  readonly pending: readonly PendingEntry[];
  /** The indexes of the partial leaves and the leaves of pending runs, or of all spans. */
  readonly indexes: ReadonlyMap<SpanRoot, SpanIndex>;
}

interface Question {
  readonly scope: AnalyticsScope;
  readonly period: Period;
  /** Highest level of summaries to read. Default: any level. */
  readonly level?: number | undefined;
}

/** The spans whose indexes a question needs. */
export type IndexedSpans = 'cutSpans' | 'allSpans';

const DAY = 24 * 3_600_000;

export async function takeSnapshot(
  services: Pick<CoreServices, 'table'>,
  { scope, period, level }: Question,
  indexed: IndexedSpans,
): Promise<Snapshot> {
  if (period.to - period.from > ANALYTICS_LIMITS.days * DAY)
    refuse(invalidRequest(`The dates are more than ${ANALYTICS_LIMITS.days} days apart. Send a shorter range`));
  if (period.to <= period.from) return { whole: [], partial: [], pending: [], indexes: new Map() };
  // A merge deletes the pending row after it wrote the root, so reading in this order sees each run at least once.
  const rows = await readPending(services, scope, period);
  const { first, last } = leavesOf(period);
  const roots = await services.table.queryAll(spanRoots, rootsSpan(scope, first, last), { consistent: true });
  const tree = new SpanTree(roots);
  const pending = pendingEntriesOf(newestOfRuns(rows)).filter((entry) => isWithin(period, entry));
  const { whole, partial } = tree.cover(period, level);
  const leaves = mergedLeaves(tree, pending);
  // Reads all indexes in one batch: a round trip costs milliseconds, an index only half a read unit.
  const wanted = [...new Set([...(indexed === 'allSpans' ? whole : []), ...partial, ...leaves])];
  const read = await readIndexes(services, wanted);
  const indexes = new Map(wanted.flatMap((root, place) => (read[place] ? [[root, read[place]] as const] : [])));
  const merged = leaves.flatMap((root) => indexes.get(root)?.entries ?? []);
  return { whole, partial, indexes, pending: withoutMerged(pending, merged) };
}

/** The leaves of pending runs, if they have summaries. */
function mergedLeaves(tree: SpanTree, pending: readonly PendingEntry[]): SpanRoot[] {
  const leaves = new Set(pending.map(({ createdAt }) => leafOf(createdAt)));
  const roots = [...leaves].flatMap((start) => tree.rootOf({ level: 0, start }) ?? []);
  return roots.filter(({ entries }) => entries > 0);
}

/** Drops runs that their leaf already contains: they were merged, or their correction waits for the next merge. */
function withoutMerged(pending: readonly PendingEntry[], merged: readonly PendingEntry[]): readonly PendingEntry[] {
  const names = new Set(merged.map(nameOf));
  return oldestOfLeaves(pending.filter((entry) => !names.has(nameOf(entry))));
}

/**
 * The name of a run for comparisons. Includes the leaf, because a build that was deleted and recorded again has the
 * same run id.
 */
const nameOf = ({ runId, createdAt }: PendingEntry): string =>
  `${runId} ${Math.floor(createdAt / MODEL_LIMITS.leafMilliseconds)}`;
