/** Reads ended runs that no summary contains yet. */
import { leafOf, type PendingRun, pendingRuns, pendingSpan } from '#shared/model/analytics/pending.ts';
import type { CoreServices } from '#shared/services.ts';
import { type PendingEntry, unpackEntries } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { AnalyticsScope, Period } from './read-model.ts';

export async function readPending(
  { table }: Pick<CoreServices, 'table'>,
  scope: AnalyticsScope,
  { from, to }: Period,
): Promise<PendingRun[]> {
  if (to <= from) return [];
  return table.queryAll(pendingRuns, pendingSpan(scope, leafOf(from), leafOf(to - 1)), { consistent: true });
}

/** The newest change of each run that is a deletion or has facts. Rows are in the order of their versions. */
export function newestOfRuns(rows: readonly PendingRun[]): PendingRun[] {
  const known = rows.filter(({ gone, packed }) => gone || packed);
  return [...new Map(known.map((row) => [row.runId, row])).values()];
}

export const pendingEntriesOf = (rows: readonly PendingRun[]): PendingEntry[] =>
  rows.flatMap(({ gone, packed }) => (gone || !packed ? [] : unpackEntries(packed)));

/** Limits the pending runs of each leaf to what one answer may add, oldest first. */
export function oldestOfLeaves(entries: readonly PendingEntry[]): PendingEntry[] {
  const leaves = Map.groupBy(entries, ({ createdAt }) => leafOf(createdAt));
  return [...leaves.values()].flatMap((own) => {
    const sorted = [...own].sort((one, other) => one.createdAt - other.createdAt);
    const added = new Set([...new Set(sorted.map(({ runId }) => runId))].slice(0, ANALYTICS_LIMITS.addedPendingRuns));
    return sorted.filter(({ runId }) => added.has(runId));
  });
}

export const isWithin = ({ from, to }: Period, { createdAt }: Pick<PendingEntry, 'createdAt'>): boolean =>
  createdAt >= from && createdAt < to;
