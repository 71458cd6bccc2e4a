/** Pending runs: those whose end, correction or deletion is not yet reflected in the summaries. */
import { getLeaf, type PendingRun } from '#shared/model/analytics/pending.ts';
import { compareTexts } from '#shared/results/contains.ts';
import { type PendingEntry, unpackEntries } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import type { Period } from './read-model.ts';

/** Of each run, the newest row that is a deletion or has facts. The rows of a run must be sorted by version. */
export function pickNewestChanges(rows: readonly PendingRun[]): PendingRun[] {
  const completeRows = rows.filter(({ gone, packed }) => gone || packed);
  return [...new Map(completeRows.map((row) => [row.runId, row])).values()];
}

export const unpackPendingEntries = (rows: readonly PendingRun[]): PendingEntry[] =>
  rows.flatMap(({ gone, packed }) => (gone || !packed ? [] : unpackEntries(packed)));

/** Sorts the entries by the creation of their runs. */
export function applyChanges(entries: readonly PendingEntry[], changes: readonly PendingRun[]): PendingEntry[] {
  const changedRunIds = new Set(changes.map(({ runId }) => runId));
  const all = [...entries.filter(({ runId }) => !changedRunIds.has(runId)), ...unpackPendingEntries(changes)];
  const toKey = ({ runId, groupId }: PendingEntry) => JSON.stringify([runId, groupId]);
  return all.sort((one, other) => one.createdAt - other.createdAt || compareTexts(toKey(one), toKey(other)));
}

export function keepOldestRuns(entries: readonly PendingEntry[]): PendingEntry[] {
  const leaves = Map.groupBy(entries, ({ createdAt }) => getLeaf(createdAt));
  return [...leaves.values()].flatMap((leafEntries) => {
    const sortedEntries = [...leafEntries].sort((one, other) => one.createdAt - other.createdAt);
    const keptRunIds = new Set(
      [...new Set(sortedEntries.map(({ runId }) => runId))].slice(0, ANALYTICS_LIMITS.addedPendingRuns),
    );
    return sortedEntries.filter(({ runId }) => keptRunIds.has(runId));
  });
}

export const isWithin = ({ from, to }: Period, { createdAt }: Pick<PendingEntry, 'createdAt'>): boolean =>
  createdAt >= from && createdAt < to;
