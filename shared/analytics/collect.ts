/** Collects what an analytics query needs: the summaries of time spans, and the facts of single runs. */
import { invalidRequest } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, type SpanRoot, spanRoots } from '#shared/model/analytics/root.ts';
import type { PendingEntry, RestOfFacts } from './entry.ts';
import { readFacts } from './facts-reader.ts';
import { isUnfilteredAnalytics, matchesEntry, matchesTags } from './filter.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { isWithin, newestOfRuns, oldestOfLeaves, pendingEntriesOf } from './pending-entries.ts';
import {
  placeOfFacts,
  placesIn,
  placesOfWhole,
  type RunGroupSet,
  readPlaces,
  spanOfSet,
  type TotalsKind,
} from './places.ts';
import type { AnalyticsFilter, AnalyticsScope, Period } from './read-model.ts';
import {
  MissingSummary,
  readIndexes,
  readSummaries,
  type SpanEvents,
  type SpanIndex,
  wholeSummary,
} from './span-index.ts';
import { type Cover, leavesOf, SpanTree } from './span-tree.ts';
import type { StoredSums } from './sums.ts';

export interface Question {
  readonly scope: AnalyticsScope;
  readonly period: Period;
  readonly filter: AnalyticsFilter;
  /**
   * Highest level of the summaries to read. Set by queries that need short time slices, because a higher level covers a
   * longer time span. Default: any level.
   */
  readonly level?: number | undefined;
}

/**
 * A merge may remove summaries while they are being read. The query is then repeated, with at most `readAttempts`
 * attempts in total.
 */
export async function untilComplete<Answer>(answer: () => Promise<Answer>, attempt = 1): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof MissingSummary) || attempt >= ANALYTICS_LIMITS.readAttempts) throw error;
    return untilComplete(answer, attempt + 1);
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
  const isSettled = (entry: PendingEntry) => matchesTags(filter, entry.tags);
  // Tags of tests do not apply to spec files, which have only the tags of their run and group.
  const matches = (entry: PendingEntry) => matchesEntry(filter, entry) && (kind === 'tests' || isSettled(entry));
  const ofSpans = [...whole, ...partial].flatMap((root): RunGroupSet[] => {
    const isWhole = !partial.includes(root);
    if (isWhole && isUnfiltered) return [placesOfWhole(root, kind)];
    const index = indexes.get(root);
    if (!index) return [];
    if (isWhole) return placesIn(root, index, kind, { matches, isSettled });
    return index.entries.filter((entry) => isWithin(period, entry) && matches(entry)).map(placeOfFacts);
  });
  const places = [...ofSpans, ...pending.filter(matches).map(placeOfFacts)];
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
    return value ? [{ tags: place.tags, during: spanOfSet(place), value }] : [];
  });
}

/**
 * The groups of the ended runs that were created in the period. Does not apply the filter: the caller must do this. Of
 * the pending runs, at most `addedPendingRuns` per leaf span are included.
 */
export async function collectEntries(services: WithTable, question: Question): Promise<PendingEntry[]> {
  const { whole, partial, pending, indexes } = await takeSnapshot(services, question, 'allSpans');
  const all = [...whole, ...partial].flatMap((root) => indexes.get(root)?.entries ?? []);
  const merged = all.filter((entry) => isWithin(question.period, entry));
  return [...merged, ...pending];
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
  const single = [...cutOff.filter((entry) => isWithin(question.period, entry)), ...pending];
  const wanted = single.filter((entry) => matchesEntry(question.filter, entry));
  const [events, facts] = await Promise.all([
    readSummaries<SpanEvents>(
      services,
      whole.map((root) => wholeSummary(root, 'events')),
    ),
    readFacts<RestOfFacts>(services, question.scope, wanted, 'rest'),
  ]);
  const ofSpans = whole.flatMap((root, place): EventsOfSpan[] => {
    const own = events[place];
    return own ? [{ entries: entriesOf(root), events: own }] : [];
  });
  const ofFacts = wanted.flatMap((entry, place): EventsOfSpan[] => {
    const own = facts[place]?.events;
    return own ? [{ entries: [entry], events: { ...own, entry: own.series.map(() => 0) } }] : [];
  });
  return [...ofSpans, ...ofFacts];
}

// Reads the current summaries and the pending runs of a period.

interface Snapshot extends Cover {
  /** Run groups of the period that no summary contains yet. */
  readonly pending: readonly PendingEntry[];
  /**
   * The indexes of the spans in `partial` and of leaf spans with pending runs. For `allSpans`, also the indexes of the
   * spans in `whole`.
   */
  readonly indexes: ReadonlyMap<SpanRoot, SpanIndex>;
}

const DAY = 24 * 3_600_000;

/**
 * `indexed`: which indexes the query needs. `cutSpans`: those of the spans in `partial`, which the period cuts off.
 * `allSpans`: also those of the spans in `whole`. Both include the indexes of leaf spans with pending runs.
 */
async function takeSnapshot(
  services: WithTable,
  { scope, period, level }: Omit<Question, 'filter'>,
  indexed: 'cutSpans' | 'allSpans',
): Promise<Snapshot> {
  if (period.to - period.from > ANALYTICS_LIMITS.days * DAY)
    throw invalidRequest(`The dates are more than ${ANALYTICS_LIMITS.days} days apart. Choose a shorter range`);
  if (period.to <= period.from) return { whole: [], partial: [], pending: [], indexes: new Map() };
  // Reads the pending rows before the root rows of the spans. A merge writes the root before it deletes the pending
  // rows, so this order finds each run at least once.
  const pendingLeaves = getPendingRunsSpan(scope, getLeaf(period.from), getLeaf(period.to - 1));
  const rows = await services.table.queryAll(pendingRuns, pendingLeaves, { consistent: true });
  const { first, last } = leavesOf(period);
  const roots = await services.table.queryAll(spanRoots, getRootsSpan(scope, first, last), { consistent: true });
  const tree = new SpanTree(roots);
  const pending = pendingEntriesOf(newestOfRuns(rows)).filter((entry) => isWithin(period, entry));
  const { whole, partial } = tree.cover(period, level);
  // The leaf spans of pending runs, if they have summaries.
  const leaves = [...new Set(pending.map(({ createdAt }) => getLeaf(createdAt)))]
    .flatMap((start) => tree.rootOf({ level: 0, start }) ?? [])
    .filter(({ entries }) => entries > 0);
  // Reads all indexes in one batch, because another round trip would take milliseconds, and an index that is not needed
  // costs only half a read unit.
  const wanted = [...new Set([...(indexed === 'allSpans' ? whole : []), ...partial, ...leaves])];
  const read = await readIndexes(services, wanted);
  const indexes = new Map(wanted.flatMap((root, place) => (read[place] ? [[root, read[place]] as const] : [])));
  // Leaves out pending runs that the summary of their leaf span already contains. Such a run was just merged, or has a
  // correction that waits for the next merge.
  const merged = new Set(leaves.flatMap((root) => indexes.get(root)?.entries ?? []).map(nameOf));
  return { whole, partial, indexes, pending: oldestOfLeaves(pending.filter((entry) => !merged.has(nameOf(entry)))) };
}

/**
 * Identifies a run in comparisons. Includes the leaf span, because a run that was deleted and recorded again has the
 * same run id.
 */
const nameOf = ({ runId, createdAt }: PendingEntry): string => `${runId} ${getLeaf(createdAt)}`;
