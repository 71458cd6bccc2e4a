/** Collects the summaries and facts that answer one question. */
import { invalidRequest, refuse } from '#shared/engine/errors.ts';
import type { CoreServices } from '#shared/services.ts';
import type { Entry, RestOfFacts } from './entry.ts';
import { type Edition, readFacts } from './facts-reader.ts';
import { isUnfiltered, matchesEntry, matchesTags } from './filter.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { isWithin } from './pending-entries.ts';
import { type Place, placeOfFacts, placesIn, placesOfWhole, readPlaces, type TotalsKind } from './places.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from './read-model.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { MissingSummary, readIndexes, readSummaries, type SpanEvents } from './span-index.ts';
import type { StoredSums } from './sums.ts';

type WithTable = Pick<CoreServices, 'table'>;

export interface Question {
  readonly scope: AnalyticsScope;
  readonly period: Period;
  readonly filter: AnalyticsFilter;
}

/** Merges remove summaries while they are read. The answer is then begun again. */
export async function untilComplete<Answer>(answer: () => Promise<Answer>, attempt = 1): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof MissingSummary) || attempt >= ANALYTICS_LIMITS.readAttempts) throw error;
    return untilComplete(answer, attempt + 1);
  }
}

interface Collected {
  readonly edition: Edition;
  readonly sources: readonly { readonly tags: readonly string[]; readonly value: StoredSums }[];
}

/** Totals of tests, whose own tags the caller filters, or of spec files. */
export async function collectTotals(services: WithTable, question: Question, kind: TotalsKind): Promise<Collected> {
  const snapshot = await takeSnapshot(services, question);
  const { edition } = snapshot;
  const places = await placesFor(services, snapshot, question, kind);
  refuseTooMuch(places);
  const values = await readPlaces(services, edition, kind, places);
  const sources = places.flatMap(({ tags }, index) => {
    const value = values[index];
    return value ? [{ tags, value }] : [];
  });
  return { edition, sources };
}

async function placesFor(
  services: WithTable,
  { whole, partial, pending }: Snapshot,
  { period, filter }: Question,
  kind: TotalsKind,
): Promise<Place[]> {
  const isSettled = (entry: Entry) => matchesTags(filter, entry.tags);
  // A spec file has the tags of its run and group only.
  const matches = (entry: Entry) => matchesEntry(filter, entry) && (kind === 'T' || isSettled(entry));
  const indexed = isUnfiltered(filter) ? partial : [...whole, ...partial];
  const indexes = await readIndexes(services, indexed);
  const filtered = indexed.flatMap((root, place): Place[] => {
    const index = indexes[place];
    if (!index) return [];
    if (!partial.includes(root)) return placesIn(root, index, kind, { matches, isSettled });
    const within = index.entries.filter((entry) => isWithin(period, entry) && matches(entry));
    return within.map(placeOfFacts);
  });
  const unfiltered = isUnfiltered(filter) ? whole.map((root) => placesOfWhole(root, kind)) : [];
  return [...unfiltered, ...filtered, ...pending.filter(matches).map(placeOfFacts)];
}

function refuseTooMuch(places: readonly Place[]): void {
  const bytes = places.reduce((total, place) => total + bytesOf(place), 0);
  if (bytes <= ANALYTICS_LIMITS.bytesPerAnswer) return;
  refuse(invalidRequest(`The answer needs the results of ${places.length} runs. Narrow the dates or the filter`));
}

const bytesOf = ({ at }: Place): number => (at.kind === 'summary' ? at.bytes : at.entry.bytes[0]);

/** All run-groups of the period. */
export async function collectEntries(services: WithTable, question: Question): Promise<Entry[]> {
  const { whole, partial, pending } = await takeSnapshot(services, question);
  const indexes = await readIndexes(services, [...whole, ...partial]);
  const merged = indexes.flatMap(({ entries }) => entries).filter((entry) => isWithin(question.period, entry));
  return [...merged, ...pending];
}

/** Failed and flaky executions of run-groups. */
export interface EventsOfSpan {
  readonly entries: readonly Entry[];
  readonly events: SpanEvents;
}

const EVENT_PARTS = 2;

export async function collectEvents(
  services: WithTable,
  question: Question,
): Promise<{ readonly edition: Edition; readonly all: readonly EventsOfSpan[] }> {
  const { edition, whole, partial, pending } = await takeSnapshot(services, question);
  const [indexes, events] = await Promise.all([
    readIndexes(services, [...whole, ...partial]),
    readSummaries<SpanEvents>(
      services,
      whole.map((root) => ({ root, kind: 'E', cut: '0', parts: root.parts[EVENT_PARTS] })),
    ),
  ]);
  const cutOff = indexes.slice(whole.length).flatMap(({ entries }) => entries);
  const single = [...cutOff.filter((entry) => isWithin(question.period, entry)), ...pending];
  const wanted = single.filter((entry) => matchesEntry(question.filter, entry));
  const facts = await readFacts<RestOfFacts>(services, edition, wanted, 'X');
  const ofSpans = events.map((own, place) => ({ entries: indexes[place]?.entries ?? [], events: own }));
  const ofFacts = wanted.flatMap((entry, place): EventsOfSpan[] => {
    const own = facts[place]?.events;
    return own ? [{ entries: [entry], events: { ...own, entry: own.series.map(() => 0) } }] : [];
  });
  return { edition, all: [...ofSpans, ...ofFacts] };
}
