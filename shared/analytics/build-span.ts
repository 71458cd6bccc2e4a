/**
 * Builds the summaries of a time span. A leaf (the shortest span) is built from the facts of its runs. A larger span is
 * built from the summaries of its child spans. Where a child has no summary of a set of run groups, the facts of these
 * groups are read instead. Summaries are always built from scratch, so each run counts exactly once.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { SpanRoot } from '#shared/model/analytics/root.ts';
import { listSummarizedSets, WHOLE } from './cuts.ts';
import { type Events, makeErrorCollector, type PendingEntry, type RestOfFacts } from './entry.ts';
import { readFacts } from './facts-reader.ts';
import { choosePlaces, makeFactsPlace, type RunGroupSet, readPlaces, type TotalsKind } from './places.ts';
import type { AnalyticsScope } from './read-model.ts';
import { locateWholeSummary, readSummaries, type SpanEvents, type SpanIndex, toSpanEvents } from './span-index.ts';
import type { StoredSums, Sums } from './sums.ts';
import { makeSpecSums, makeTestSums } from './totals.ts';

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
  const listPlaces = (set: ReadonlySet<PendingEntry>) => entries.filter((entry) => set.has(entry)).map(makeFactsPlace);
  const facts = await readFacts<RestOfFacts>(services, scope, entries, 'rest');
  const events = facts.map((rest, offset) => ({ events: toSpanEvents(rest?.events ?? NO_EVENTS), offset }));
  return { entries, sets: await buildSets(services, scope, entries, listPlaces), events: joinEvents(events) };
}

const NO_EVENTS: Events = { errors: [], error: [], series: [] };

export async function buildLevel(
  services: WithTable,
  scope: AnalyticsScope,
  children: readonly ChildSpan[],
): Promise<BuiltSpan> {
  const entries = children.flatMap(({ index }) => index.entries);
  const listPlaces = (set: ReadonlySet<PendingEntry>, kind: TotalsKind) =>
    children.flatMap(({ root, index }) =>
      choosePlaces(root, index, kind, { matches: (entry) => set.has(entry), isSettled: () => true }),
    );
  const summaries = children.map(({ root }) => locateWholeSummary(root, 'events'));
  let nextOffset = 0;
  const events = (await readSummaries<SpanEvents>(services, summaries)).map((childEvents, child) => {
    const offset = nextOffset;
    nextOffset += children[child]?.index.entries.length ?? 0;
    return { events: childEvents, offset };
  });
  return { entries, sets: await buildSets(services, scope, entries, listPlaces), events: joinEvents(events) };
}

async function buildSets(
  services: WithTable,
  scope: AnalyticsScope,
  entries: readonly PendingEntry[],
  listPlaces: (set: ReadonlySet<PendingEntry>, kind: TotalsKind) => readonly RunGroupSet[],
): Promise<BuiltSpan['sets']> {
  const sets = [[WHOLE, entries] as const, ...listSummarizedSets(entries)];
  const computeTotals = async (kind: TotalsKind, makeSums: () => Sums): Promise<StoredSums[]> => {
    const places = sets.map(([, set]) => listPlaces(new Set(set), kind));
    // Several sets may need the same summary or facts, which are then read only once.
    const distinct = new Map(places.flat().map((place) => [describePlace(place), place]));
    const values = await readPlaces(services, scope, kind, [...distinct.values()]);
    const valueByName = new Map([...distinct.keys()].map((name, index) => [name, values[index]]));
    return places.map((setPlaces) => {
      const sums = makeSums();
      for (const name of setPlaces.map(describePlace)) {
        const value = valueByName.get(name);
        if (!value) throw new Error(`The totals of ${name} are missing`);
        sums.add(value);
      }
      return sums.stored();
    });
  };
  const testTotals = await computeTotals('tests', makeTestSums);
  const specTotals = await computeTotals('specs', makeSpecSums);
  return sets.flatMap(([cut], index) => {
    const tests = testTotals[index];
    const specs = specTotals[index];
    return tests && specs ? [{ cut, tests, specs }] : [];
  });
}

function describePlace({ at }: RunGroupSet): string {
  if (at.kind === 'facts') return `the group ${at.entry.groupId} of run ${at.entry.runId}`;
  const { root, cut } = at.summary;
  return `the summary with level ${root.level}, start ${root.start} and cut ${cut}`;
}

/** Each distinct error occurs only once. `offset`: the index of the first run group of the events in the span. */
function joinEvents(all: readonly { readonly events: SpanEvents; readonly offset: number }[]): SpanEvents {
  const { errors, placeOf } = makeErrorCollector();
  const joinedEvents = { errors, error: [] as number[], series: [] as number[], entry: [] as number[] };
  for (const { events, offset } of all) {
    const places = events.errors.map(placeOf);
    for (const [index, series] of events.series.entries()) {
      joinedEvents.error.push(places[events.error[index] ?? 0] ?? 0);
      joinedEvents.series.push(series);
      joinedEvents.entry.push(offset + (events.entry[index] ?? 0));
    }
  }
  return joinedEvents;
}
