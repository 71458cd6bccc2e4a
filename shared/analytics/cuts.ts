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

const broadKey = ({ groupId, environment, tags }: PendingEntry): string =>
  computeDigest(KEY_CHARACTERS, groupId, JSON.stringify(environment), ...[...tags].sort());

const narrowKey = (entry: PendingEntry): string =>
  computeDigest(KEY_CHARACTERS, broadKey(entry), JSON.stringify(entry.branch));

/** The sets of run groups that get a summary, besides the set of all run groups. Identical sets share one summary. */
export function summarizedSets(entries: readonly PendingEntry[]): Map<string, PendingEntry[]> {
  const isLarge = (own: readonly PendingEntry[], than: readonly PendingEntry[]) =>
    own.length >= ANALYTICS_LIMITS.entriesPerCut && own.length < than.length;
  const chosen = new Map<string, PendingEntry[]>();
  for (const [key, broad] of Map.groupBy(entries, broadKey)) {
    if (isLarge(broad, entries)) chosen.set(key, broad);
    for (const [narrowed, narrow] of Map.groupBy(broad, narrowKey))
      if (isLarge(narrow, broad)) chosen.set(narrowed, narrow);
  }
  return chosen;
}

export interface Wanted {
  readonly matches: (entry: PendingEntry) => boolean;
  /** Whether this run group matches the tag filter regardless of the tags of its tests. */
  readonly isSettled: (entry: PendingEntry) => boolean;
}

/** Where totals come from: the summary of a set of run groups, or the facts of one run group. */
export type Choice =
  | { readonly kind: 'summary'; readonly cut: string; readonly tags: readonly string[] }
  | { readonly kind: 'facts'; readonly entry: PendingEntry };

/**
 * Chooses the fewest summaries and facts that together cover the matching run groups. `hasSummary`: whether the set with
 * this key has a summary.
 */
export function choose(
  entries: readonly PendingEntry[],
  hasSummary: (cut: string) => boolean,
  { matches, isSettled }: Wanted,
): Choice[] {
  const byBroadKey = Map.groupBy(entries, broadKey);
  const isWhole = entries.length > 0 && entries.every(matches) && hasSummary(WHOLE);
  if (isWhole && (entries.every(isSettled) || byBroadKey.size === 1)) return [summary(WHOLE, entries)];
  return [...byBroadKey].flatMap(([key, broad]): Choice[] => {
    if (hasSummary(key) && broad.every(matches)) return [summary(key, broad)];
    return [...Map.groupBy(broad, narrowKey)].flatMap(([narrowed, narrow]): Choice[] => {
      if (hasSummary(narrowed) && narrow.every(matches)) return [summary(narrowed, narrow)];
      return narrow.filter(matches).map((entry) => ({ kind: 'facts', entry }));
    });
  });
}

const summary = (cut: string, [first]: readonly PendingEntry[]): Choice => ({
  kind: 'summary',
  cut,
  tags: first?.tags ?? [],
});
