/**
 * Builds the summaries of a time span. A leaf (the shortest span) is built from the facts of its runs. A larger span is
 * built from the summaries of its child spans. Where a child has no summary of a set of run groups, the facts of these
 * groups are read instead. Summaries are always built from scratch, so each run counts exactly once.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { SpanRoot } from '#shared/model/analytics/root.ts';
import { summarizedSets, WHOLE } from './cuts.ts';
import { distinctErrors, type PendingEntry, type RestOfFacts } from './entry.ts';
import { readFacts } from './facts-reader.ts';
import { placeOfFacts, placesIn, type RunGroupSet, readPlaces, type TotalsKind } from './places.ts';
import type { AnalyticsScope } from './read-model.ts';
import { readSummaries, type SpanEvents, type SpanIndex, wholeSummary } from './span-index.ts';
import type { StoredSums, Sums } from './sums.ts';
import { specSums, testSums } from './totals.ts';

export interface BuiltSpan {
  readonly entries: readonly PendingEntry[];
  readonly sets: readonly { readonly cut: string; readonly tests: StoredSums; readonly specs: StoredSums }[];
  readonly events: SpanEvents;
}

/** A child of the time span that is being built. Its summaries already exist. */
export interface ChildSpan {
  readonly root: SpanRoot;
  readonly index: SpanIndex;
}

export async function buildLeaf(
  services: WithTable,
  scope: AnalyticsScope,
  entries: readonly PendingEntry[],
): Promise<BuiltSpan> {
  const placesOf = (set: ReadonlySet<PendingEntry>) => entries.filter((entry) => set.has(entry)).map(placeOfFacts);
  const facts = await readFacts<RestOfFacts>(services, scope, entries, 'rest');
  const events = facts.map((rest, entry) => {
    const own = rest?.events ?? { errors: [], error: [], series: [] };
    return { events: { ...own, entry: own.series.map(() => 0) }, offset: entry };
  });
  return { entries, sets: await buildSets(services, scope, entries, placesOf), events: joinEvents(events) };
}

export async function buildLevel(
  services: WithTable,
  scope: AnalyticsScope,
  children: readonly ChildSpan[],
): Promise<BuiltSpan> {
  const entries = children.flatMap(({ index }) => index.entries);
  const placesOf = (set: ReadonlySet<PendingEntry>, kind: TotalsKind) =>
    children.flatMap(({ root, index }) =>
      placesIn(root, index, kind, { matches: (entry) => set.has(entry), isSettled: () => true }),
    );
  const all = await readSummaries<SpanEvents>(
    services,
    children.map(({ root }) => wholeSummary(root, 'events')),
  );
  let offset = 0;
  const events = all.map((own, child) => {
    const placed = { events: own, offset };
    offset += children[child]?.index.entries.length ?? 0;
    return placed;
  });
  return { entries, sets: await buildSets(services, scope, entries, placesOf), events: joinEvents(events) };
}

async function buildSets(
  services: WithTable,
  scope: AnalyticsScope,
  entries: readonly PendingEntry[],
  placesOf: (set: ReadonlySet<PendingEntry>, kind: TotalsKind) => readonly RunGroupSet[],
): Promise<BuiltSpan['sets']> {
  const sets = [[WHOLE, entries] as const, ...summarizedSets(entries)];
  const totals = async (kind: TotalsKind, newSums: () => Sums): Promise<StoredSums[]> => {
    const places = sets.map(([, set]) => placesOf(new Set(set), kind));
    // Several sets may need the same summary or facts, which are then read only once.
    const distinct = new Map(places.flat().map((place) => [nameOf(place), place]));
    const values = await readPlaces(services, scope, kind, [...distinct.values()]);
    const found = new Map([...distinct.keys()].map((name, index) => [name, values[index]]));
    return places.map((own) => {
      const sums = newSums();
      for (const name of own.map(nameOf)) {
        const value = found.get(name);
        if (!value) throw new Error(`The totals of ${name} are missing`);
        sums.add(value);
      }
      return sums.stored();
    });
  };
  const tests = await totals('tests', testSums);
  const specs = await totals('specs', specSums);
  return sets.flatMap(([cut], place) => {
    const ofTests = tests[place];
    const ofSpecs = specs[place];
    return ofTests && ofSpecs ? [{ cut, tests: ofTests, specs: ofSpecs }] : [];
  });
}

function nameOf({ at }: RunGroupSet): string {
  if (at.kind === 'facts') return `the group ${at.entry.groupId} of run ${at.entry.runId}`;
  const { root, cut } = at.summary;
  return `the summary with level ${root.level}, start ${root.start} and cut ${cut}`;
}

/** Concatenates lists of executions. Stores each distinct error only once. */
function joinEvents(all: readonly { readonly events: SpanEvents; readonly offset: number }[]): SpanEvents {
  const { errors, placeOf } = distinctErrors();
  const joined = { errors, error: [] as number[], series: [] as number[], entry: [] as number[] };
  for (const { events, offset } of all) {
    const places = events.errors.map(placeOf);
    for (const [index, series] of events.series.entries()) {
      joined.error.push(places[events.error[index] ?? 0] ?? 0);
      joined.series.push(series);
      joined.entry.push(offset + (events.entry[index] ?? 0));
    }
  }
  return joined;
}
