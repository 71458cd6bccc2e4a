/** Collects what an analytics query needs: the summaries of time spans, and the facts of single runs. */
import { invalidRequest } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { SpanRoot } from '#shared/model/analytics/root.ts';
import type { PendingEntry, RestOfFacts } from './entry.ts';
import { readFacts } from './facts-reader.ts';
import { hasMatchingTags, isMatchingEntry, isUnfilteredAnalytics } from './filter.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { isWithin } from './pending-entries.ts';
import {
  choosePlaces,
  computePlacePeriod,
  makeFactsPlace,
  makeWholePlace,
  type RunGroupSet,
  readPlaces,
  type TotalsKind,
} from './places.ts';
import type { Period } from './read-model.ts';
import { type Question, takeSnapshot } from './snapshot.ts';
import { locateWholeSummary, MissingSummary, readSummaries, type SpanEvents, toSpanEvents } from './span-index.ts';
import type { StoredSums } from './sums.ts';

/** A merge may remove summaries while they are being read. The query is then tried up to `readAttempts` times. */
export async function retryUntilComplete<Answer>(answer: () => Promise<Answer>, attempt = 1): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof MissingSummary) || attempt >= ANALYTICS_LIMITS.readAttempts) throw error;
    return retryUntilComplete(answer, attempt + 1);
  }
}

export interface CollectedTotals {
  readonly tags: readonly string[];
  /** The time span that `value` covers: all its runs were created in this span. */
  readonly during: Period;
  readonly value: StoredSums;
}

/**
 * Collects the totals of tests or of spec files. Does not apply the tag filter to tests: the caller must do this.
 * Throws 400 if the period is too long, or if the totals are too large to be read at once.
 */
export async function collectTotals(
  services: WithTable,
  question: Question,
  kind: TotalsKind,
): Promise<CollectedTotals[]> {
  const { scope, period, filter } = question;
  const isUnfiltered = isUnfilteredAnalytics(filter);
  const neededIndexes = isUnfiltered ? 'cutSpans' : 'allSpans';
  const { whole, partial, pending, indexes } = await takeSnapshot(services, question, neededIndexes);
  const isSettled = (entry: PendingEntry) => hasMatchingTags(filter, entry.tags);
  // Tags of tests do not apply to spec files, which have only the tags of their run and group.
  const matches = (entry: PendingEntry) => isMatchingEntry(filter, entry) && (kind === 'tests' || isSettled(entry));
  const placesOfWholeSpans = whole.flatMap((root): RunGroupSet[] => {
    if (isUnfiltered) return [makeWholePlace(root, kind)];
    const index = indexes.get(root);
    return index ? choosePlaces(root, index, kind, { matches, isSettled }) : [];
  });
  const entriesOfCutSpans = partial
    .flatMap((root) => indexes.get(root)?.entries ?? [])
    .filter((entry) => isWithin(period, entry));
  const singleEntries = [...entriesOfCutSpans, ...pending].filter(matches);
  const places = [...placesOfWholeSpans, ...singleEntries.map(makeFactsPlace)];
  const bytes = places.reduce((total, place) => total + measurePlace(place), 0);
  if (bytes > ANALYTICS_LIMITS.bytesPerAnswer)
    throw invalidRequest(
      'The query covers more test results than can be read at once. Choose a shorter range of dates, or narrower filters',
    );
  const values = await readPlaces(services, scope, kind, places);
  return places.flatMap((place, index) => {
    const value = values[index];
    return value ? [{ tags: place.tags, during: computePlacePeriod(place), value }] : [];
  });
}

const measurePlace = ({ at }: RunGroupSet): number =>
  at.kind === 'summary' ? at.summary.size.bytes : at.entry.sizes.tests.bytes;

/**
 * The groups of the ended runs that were created in the period. Does not apply the filter: the caller must do this. Of
 * the pending runs, at most `addedPendingRuns` per leaf span are included.
 */
export async function collectEntries(services: WithTable, question: Question): Promise<PendingEntry[]> {
  const { whole, partial, pending, indexes } = await takeSnapshot(services, question, 'allSpans');
  const all = [...whole, ...partial].flatMap((root) => indexes.get(root)?.entries ?? []);
  const mergedEntries = all.filter((entry) => isWithin(question.period, entry));
  return [...mergedEntries, ...pending];
}

/** Failed and flaky executions, and the run groups that they belong to. */
export interface EventsOfSpan {
  readonly entries: readonly PendingEntry[];
  readonly events: SpanEvents;
}

export async function collectEvents(services: WithTable, question: Question): Promise<readonly EventsOfSpan[]> {
  const { whole, partial, pending, indexes } = await takeSnapshot(services, question, 'allSpans');
  const entriesOf = (root: SpanRoot) => indexes.get(root)?.entries ?? [];
  const entriesOfCutSpans = partial.flatMap(entriesOf).filter((entry) => isWithin(question.period, entry));
  const singleEntries = [...entriesOfCutSpans, ...pending];
  const matchingEntries = singleEntries.filter((entry) => isMatchingEntry(question.filter, entry));
  const [events, facts] = await Promise.all([
    readSummaries<SpanEvents>(
      services,
      whole.map((root) => locateWholeSummary(root, 'events')),
    ),
    readFacts<RestOfFacts>(services, question.scope, matchingEntries, 'rest'),
  ]);
  const eventsOfSpans = whole.flatMap((root, index): EventsOfSpan[] => {
    const spanEvents = events[index];
    return spanEvents ? [{ entries: entriesOf(root), events: spanEvents }] : [];
  });
  const eventsOfFacts = matchingEntries.flatMap((entry, index): EventsOfSpan[] => {
    const groupEvents = facts[index]?.events;
    return groupEvents ? [{ entries: [entry], events: toSpanEvents(groupEvents) }] : [];
  });
  return [...eventsOfSpans, ...eventsOfFacts];
}
