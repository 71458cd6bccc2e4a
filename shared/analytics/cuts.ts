/**
 * Cuts: sets of run groups that get a summary of their own, so that filtered queries need not read the facts of each
 * run. All run groups of a broad set have the same group id, environment and tags. In a narrow set, they also have the
 * same branch.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';

/** The key of the set that contains all run groups. */
export const WHOLE = '0';

const KEY_CHARACTERS = 12;

const computeBroadKey = ({ groupId, environment, tags }: PendingEntry): string =>
  computeDigest(KEY_CHARACTERS, groupId, JSON.stringify(environment), ...[...tags].sort());

const computeNarrowKey = (entry: PendingEntry): string =>
  computeDigest(KEY_CHARACTERS, computeBroadKey(entry), JSON.stringify(entry.branch));

/** The sets of run groups that get a summary, besides the set of all run groups. Identical sets share one summary. */
export function listSummarizedSets(entries: readonly PendingEntry[]): Map<string, PendingEntry[]> {
  const isLarge = (subset: readonly PendingEntry[], superset: readonly PendingEntry[]) =>
    subset.length >= ANALYTICS_LIMITS.entriesPerCut && subset.length < superset.length;
  const sets = new Map<string, PendingEntry[]>();
  for (const [key, broad] of Map.groupBy(entries, computeBroadKey)) {
    if (isLarge(broad, entries)) sets.set(key, broad);
    for (const [narrowKey, narrow] of Map.groupBy(broad, computeNarrowKey))
      if (isLarge(narrow, broad)) sets.set(narrowKey, narrow);
  }
  return sets;
}

export interface EntryMatcher {
  readonly matches: (entry: PendingEntry) => boolean;
  /** Whether this run group matches the tag filter regardless of the tags of its tests. */
  readonly isSettled: (entry: PendingEntry) => boolean;
}

/** Where totals come from: the summary of a set of run groups, or the facts of one run group. */
export type Choice =
  | { readonly kind: 'summary'; readonly cut: string; readonly tags: readonly string[] }
  | { readonly kind: 'facts'; readonly entry: PendingEntry };

/** The fewest that together cover the matching run groups. `hasSummary`: whether the set with this key has one. */
export function chooseSources(
  entries: readonly PendingEntry[],
  hasSummary: (cut: string) => boolean,
  { matches, isSettled }: EntryMatcher,
): Choice[] {
  const byBroadKey = Map.groupBy(entries, computeBroadKey);
  const isWhole = entries.length > 0 && entries.every(matches) && hasSummary(WHOLE);
  if (isWhole && (entries.every(isSettled) || byBroadKey.size === 1)) return [makeSummaryChoice(WHOLE, entries)];
  return [...byBroadKey].flatMap(([key, broad]): Choice[] => {
    if (hasSummary(key) && broad.every(matches)) return [makeSummaryChoice(key, broad)];
    return [...Map.groupBy(broad, computeNarrowKey)].flatMap(([narrowKey, narrow]): Choice[] => {
      if (hasSummary(narrowKey) && narrow.every(matches)) return [makeSummaryChoice(narrowKey, narrow)];
      return narrow.filter(matches).map((entry) => ({ kind: 'facts', entry }));
    });
  });
}

const makeSummaryChoice = (cut: string, [first]: readonly PendingEntry[]): Choice => ({
  kind: 'summary',
  cut,
  tags: first?.tags ?? [],
});
