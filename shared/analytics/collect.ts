/** Collects what an analytics query needs: the summaries of time spans, and the facts of single runs. */
import { invalidRequest } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, type SpanRoot, spanRoots } from '#shared/model/analytics/root.ts';
import type { PendingEntry, RestOfFacts } from './entry.ts';
import { readFacts } from './facts-reader.ts';
import { hasMatchingTags, isMatchingEntry, isUnfilteredAnalytics } from './filter.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { isWithin, keepOldestRuns, pickNewestChanges, unpackPendingEntries } from './pending-entries.ts';
import {
  choosePlaces,
  computePlacePeriod,
  makeFactsPlace,
  makeWholePlace,
  type RunGroupSet,
  readPlaces,
  type TotalsKind,
} from './places.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from './read-model.ts';
import {
  locateWholeSummary,
  MissingSummary,
  readIndexes,
  readSummaries,
  type SpanEvents,
  type SpanIndex,
} from './span-index.ts';
import { type Cover, findLeafRange, SpanTree } from './span-tree.ts';
import type { StoredSums } from './sums.ts';

export interface Question {
  readonly scope: AnalyticsScope;
  readonly period: Period;
  readonly filter: AnalyticsFilter;
  /** Highest level of the summaries to read, for queries that need short time slices. Default: any level. */
  readonly level?: number | undefined;
}

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
  const { whole, partial, pending, indexes } = await takeSnapshot(
    services,
    question,
    isUnfiltered ? 'cutSpans' : 'allSpans',
  );
  const isSettled = (entry: PendingEntry) => hasMatchingTags(filter, entry.tags);
  // Tags of tests do not apply to spec files, which have only the tags of their run and group.
  const matches = (entry: PendingEntry) => isMatchingEntry(filter, entry) && (kind === 'tests' || isSettled(entry));
  const ofSpans = [...whole, ...partial].flatMap((root): RunGroupSet[] => {
    const isWhole = !partial.includes(root);
    if (isWhole && isUnfiltered) return [makeWholePlace(root, kind)];
    const index = indexes.get(root);
    if (!index) return [];
    if (isWhole) return choosePlaces(root, index, kind, { matches, isSettled });
    return index.entries.filter((entry) => isWithin(period, entry) && matches(entry)).map(makeFactsPlace);
  });
  const places = [...ofSpans, ...pending.filter(matches).map(makeFactsPlace)];
  const bytes = places.reduce(
    (total, { at }) => total + (at.kind === 'summary' ? at.summary.size.bytes : at.entry.sizes.tests.bytes),
    0,
  );
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
  const cutOff = partial.flatMap(entriesOf);
  const singleEntries = [...cutOff.filter((entry) => isWithin(question.period, entry)), ...pending];
  const matchingEntries = singleEntries.filter((entry) => isMatchingEntry(question.filter, entry));
  const [events, facts] = await Promise.all([
    readSummaries<SpanEvents>(
      services,
      whole.map((root) => locateWholeSummary(root, 'events')),
    ),
    readFacts<RestOfFacts>(services, question.scope, matchingEntries, 'rest'),
  ]);
  const ofSpans = whole.flatMap((root, place): EventsOfSpan[] => {
    const spanEvents = events[place];
    return spanEvents ? [{ entries: entriesOf(root), events: spanEvents }] : [];
  });
  const ofFacts = matchingEntries.flatMap((entry, place): EventsOfSpan[] => {
    const groupEvents = facts[place]?.events;
    return groupEvents
      ? [{ entries: [entry], events: { ...groupEvents, entry: groupEvents.series.map(() => 0) } }]
      : [];
  });
  return [...ofSpans, ...ofFacts];
}

// Reads the current summaries and the pending runs of a period.

interface Snapshot extends Cover {
  /** Run groups of the period that no summary contains yet. */
  readonly pending: readonly PendingEntry[];
  /** Of the spans in `partial` and of leaf spans with pending runs, and for `allSpans` also of those in `whole`. */
  readonly indexes: ReadonlyMap<SpanRoot, SpanIndex>;
}

const DAY = 24 * 3_600_000;

/**
 * `cutSpans` needs the indexes of the spans in `partial`, which the period cuts off. `allSpans` also needs those of the
 * spans in `whole`. Both include the indexes of leaf spans with pending runs.
 */
async function takeSnapshot(
  services: WithTable,
  { scope, period, level }: Omit<Question, 'filter'>,
  neededIndexes: 'cutSpans' | 'allSpans',
): Promise<Snapshot> {
  if (period.to - period.from > ANALYTICS_LIMITS.days * DAY)
    throw invalidRequest(`The dates are more than ${ANALYTICS_LIMITS.days} days apart. Choose a shorter range`);
  if (period.to <= period.from) return { whole: [], partial: [], pending: [], indexes: new Map() };
  // Reads the pending rows before the root rows of the spans. A merge writes the root before it deletes the pending
  // rows, so this order finds each run at least once.
  const pendingLeaves = getPendingRunsSpan(scope, getLeaf(period.from), getLeaf(period.to - 1));
  const rows = await services.table.queryAll(pendingRuns, pendingLeaves, { consistent: true });
  const { first, last } = findLeafRange(period);
  const roots = await services.table.queryAll(spanRoots, getRootsSpan(scope, first, last), { consistent: true });
  const tree = new SpanTree(roots);
  const pendingEntries = unpackPendingEntries(pickNewestChanges(rows)).filter((entry) => isWithin(period, entry));
  const { whole, partial } = tree.cover(period, level);
  // The leaf spans of pending runs, if they have summaries.
  const leaves = [...new Set(pendingEntries.map(({ createdAt }) => getLeaf(createdAt)))]
    .flatMap((start) => tree.rootOf({ level: 0, start }) ?? [])
    .filter(({ entries }) => entries > 0);
  // Reads all indexes in one batch, because another round trip would take milliseconds, and an index that is not needed
  // costs only half a read unit.
  const rootsToIndex = [...new Set([...(neededIndexes === 'allSpans' ? whole : []), ...partial, ...leaves])];
  const loadedIndexes = await readIndexes(services, rootsToIndex);
  const indexes = new Map(
    rootsToIndex.flatMap((root, place) => (loadedIndexes[place] ? [[root, loadedIndexes[place]] as const] : [])),
  );
  // Leaves out pending runs that the summary of their leaf span already contains. Such a run was just merged, or has a
  // correction that waits for the next merge.
  const mergedRunKeys = new Set(leaves.flatMap((root) => indexes.get(root)?.entries ?? []).map(toRunKey));
  return {
    whole,
    partial,
    indexes,
    pending: keepOldestRuns(pendingEntries.filter((entry) => !mergedRunKeys.has(toRunKey(entry)))),
  };
}

/** Includes the leaf span, because a run that was deleted and recorded again has the same run id. */
const toRunKey = ({ runId, createdAt }: PendingEntry): string => `${runId} ${getLeaf(createdAt)}`;
