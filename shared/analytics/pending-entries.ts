/** Pending runs: those whose end, correction or deletion is not yet reflected in the summaries. */
import { getLeaf, type PendingRun } from '#shared/model/analytics/pending.ts';
import { byText } from '#shared/results/contains.ts';
import { type PendingEntry, unpackEntries } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { Period } from './read-model.ts';

/**
 * Returns, for each run, the newest change that is a deletion or whose facts are stored. The rows of a run must be
 * sorted by version.
 */
export function newestOfRuns(rows: readonly PendingRun[]): PendingRun[] {
  const known = rows.filter(({ gone, packed }) => gone || packed);
  return [...new Map(known.map((row) => [row.runId, row])).values()];
}

export const pendingEntriesOf = (rows: readonly PendingRun[]): PendingEntry[] =>
  rows.flatMap(({ gone, packed }) => (gone || !packed ? [] : unpackEntries(packed)));

/** Applies the newest changes of runs to the known entries. Sorts the entries by the creation of their runs. */
export function withNewest(known: readonly PendingEntry[], newest: readonly PendingRun[]): PendingEntry[] {
  const changed = new Set(newest.map(({ runId }) => runId));
  const all = [...known.filter(({ runId }) => !changed.has(runId)), ...pendingEntriesOf(newest)];
  const nameOf = ({ runId, groupId }: PendingEntry) => JSON.stringify([runId, groupId]);
  return all.sort((one, other) => one.createdAt - other.createdAt || byText(nameOf(one), nameOf(other)));
}

/** Keeps only the oldest pending runs of each leaf span, up to the number that one query may include. */
export function oldestOfLeaves(entries: readonly PendingEntry[]): PendingEntry[] {
  const leaves = Map.groupBy(entries, ({ createdAt }) => getLeaf(createdAt));
  return [...leaves.values()].flatMap((own) => {
    const sorted = [...own].sort((one, other) => one.createdAt - other.createdAt);
    const added = new Set([...new Set(sorted.map(({ runId }) => runId))].slice(0, ANALYTICS_LIMITS.addedPendingRuns));
    return sorted.filter(({ runId }) => added.has(runId));
  });
}

export const isWithin = ({ from, to }: Period, { createdAt }: Pick<PendingEntry, 'createdAt'>): boolean =>
  createdAt >= from && createdAt < to;
