/** The places where totals are stored: summaries of many runs, or the facts of one run group. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { getLeaf } from '#shared/model/analytics/pending.ts';
import { countLeaves, NO_SUMMARY, type SpanRoot } from '#shared/model/analytics/root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { chooseSources, type EntryMatcher, WHOLE } from './cuts.ts';
import type { PendingEntry, RestOfFacts } from './entry.ts';
import { readFacts } from './facts-reader.ts';
import type { AnalyticsScope, Period } from './read-model.ts';
import { locateWholeSummary, readSummaries, type SpanIndex, type SummaryPlace } from './span-index.ts';
import type { StoredSums } from './sums.ts';

export type TotalsKind = 'tests' | 'specs';

/** Run groups whose totals are stored together. They have the same tags, unless tags do not matter for the query. */
export interface RunGroupSet {
  readonly tags: readonly string[];
  readonly at:
    | { readonly kind: 'facts'; readonly entry: PendingEntry }
    | { readonly kind: 'summary'; readonly summary: SummaryPlace };
}

export const makeWholePlace = (root: SpanRoot, kind: TotalsKind): RunGroupSet => ({
  tags: [],
  at: { kind: 'summary', summary: locateWholeSummary(root, kind) },
});

export const makeFactsPlace = (entry: PendingEntry): RunGroupSet => ({
  tags: entry.tags,
  at: { kind: 'facts', entry },
});

/** The time span of the summary. For a single run group without a summary, returns the leaf span of its run. */
export function computePlacePeriod({ at }: RunGroupSet): Period {
  const leaf = MODEL_LIMITS.leafMilliseconds;
  const { level, start } = at.kind === 'summary' ? at.summary.root : { level: 0, start: getLeaf(at.entry.createdAt) };
  const length = countLeaves(level) * leaf;
  return { from: start * length, to: (start + 1) * length };
}

export function choosePlaces(root: SpanRoot, index: SpanIndex, kind: TotalsKind, matcher: EntryMatcher): RunGroupSet[] {
  const hasSummary = (cut: string) => cut === WHOLE || index.cuts[cut] !== undefined;
  return chooseSources(index.entries, hasSummary, matcher).map((choice): RunGroupSet => {
    if (choice.kind === 'facts') return makeFactsPlace(choice.entry);
    const { cut, tags } = choice;
    if (cut === WHOLE) return { ...makeWholePlace(root, kind), tags };
    const size = index.cuts[cut]?.[kind] ?? NO_SUMMARY;
    return { tags, at: { kind: 'summary', summary: { root, kind, cut, size } } };
  });
}

/** In the order of the places. A total is `undefined` if the facts expired or their run was deleted. */
export async function readPlaces(
  services: WithTable,
  scope: AnalyticsScope,
  kind: TotalsKind,
  places: readonly RunGroupSet[],
): Promise<(StoredSums | undefined)[]> {
  const summaries = places.flatMap(({ at }) => (at.kind === 'summary' ? at.summary : []));
  const entries = places.flatMap(({ at }) => (at.kind === 'facts' ? at.entry : []));
  const [ofSummaries, ofFacts] = await Promise.all([
    readSummaries<StoredSums>(services, summaries),
    kind === 'tests'
      ? readFacts<StoredSums>(services, scope, entries, 'tests')
      : readFacts<RestOfFacts>(services, scope, entries, 'rest').then((all) => all.map((rest) => rest?.specs)),
  ]);
  const nextSummary = ofSummaries.values();
  const nextFacts = ofFacts.values();
  return places.map(({ at }) => (at.kind === 'summary' ? nextSummary : nextFacts).next().value);
}
