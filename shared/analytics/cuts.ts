/**
 * Cuts: sets of run groups that get a summary of their own, so that filtered queries need not read the facts of each
 * run. All run groups of a broad set have the same group id, environment and tags. In a narrow set, they also have the
 * same branch.
 */
import { digest } from '#shared/engine/table/keys.ts';
import type { PendingEntry } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';

/** The key of the set that contains all run groups. */
export const WHOLE = '0';

const KEY_CHARACTERS = 12;

const broadKey = ({ groupId, environment, tags }: PendingEntry): string =>
  digest(KEY_CHARACTERS, groupId, JSON.stringify(environment), ...[...tags].sort());

const narrowKey = (entry: PendingEntry): string =>
  digest(KEY_CHARACTERS, broadKey(entry), JSON.stringify(entry.branch));

function byKey<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const found = new Map<Key, Item[]>();
  for (const item of items) {
    const own = found.get(keyOf(item));
    if (own) own.push(item);
    else found.set(keyOf(item), [item]);
  }
  return found;
}

/** The sets of run groups that get a summary, besides the set of all run groups. Identical sets share one summary. */
export function summarizedSets(entries: readonly PendingEntry[]): Map<string, PendingEntry[]> {
  const isLarge = (own: readonly PendingEntry[], than: readonly PendingEntry[]) =>
    own.length >= ANALYTICS_LIMITS.entriesPerCut && own.length < than.length;
  const chosen = new Map<string, PendingEntry[]>();
  for (const [key, broad] of byKey(entries, broadKey)) {
    if (isLarge(broad, entries)) chosen.set(key, broad);
    for (const [narrowed, narrow] of byKey(broad, narrowKey)) if (isLarge(narrow, broad)) chosen.set(narrowed, narrow);
  }
  return chosen;
}

/** Where totals come from: the summary of a set of run groups, or the facts of one run group. */
export type Choice =
  | { readonly kind: 'summary'; readonly cut: string; readonly tags: readonly string[] }
  | { readonly kind: 'facts'; readonly entry: PendingEntry };

interface Choosable {
  readonly entries: readonly PendingEntry[];
  readonly hasSummary: (cut: string) => boolean;
}

/**
 * Chooses the fewest summaries and facts that together cover the matching run groups. `isSettled`: whether a run group
 * matches the tag filter regardless of the tags of its tests.
 */
export function choose(
  { entries, hasSummary }: Choosable,
  matches: (entry: PendingEntry) => boolean,
  isSettled: (entry: PendingEntry) => boolean,
): Choice[] {
  const isWhole = entries.length > 0 && entries.every(matches) && hasSummary(WHOLE);
  if (isWhole && (entries.every(isSettled) || byKey(entries, broadKey).size === 1)) return [summary(WHOLE, entries)];
  return [...byKey(entries, broadKey)].flatMap(([key, broad]): Choice[] => {
    if (hasSummary(key) && broad.every(matches)) return [summary(key, broad)];
    return [...byKey(broad, narrowKey)].flatMap(([narrowed, narrow]): Choice[] => {
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
