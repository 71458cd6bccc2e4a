/** §4.4.5 Builds the rows of the list of errors: filtered, grouped and sorted. */

import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { type MessageSearch, toMessageSearch } from '#shared/errors/search-text.ts';
import { maskText } from '#shared/masking/masking.ts';
import { compareTexts, contains } from '#shared/results/contains.ts';
import type { Occurrence, Period } from '../read-model.ts';
import { findBucketStart, listBucketStarts } from './buckets.ts';
import type { ErrorKey, ErrorRow, ErrorsQuery, ErrorsTimeline } from './errors-wire.ts';
import { METRIC_LIMITS } from './limits.ts';
import { sortRows } from './order.ts';

export type ErrorsOptions = Pick<
  ErrorsQuery,
  | 'error_target'
  | 'error_message'
  | 'error_action'
  | 'error_category'
  | 'order_by'
  | 'dir'
  | 'group_by'
  | 'metric'
  | 'top_n'
>;

type Keys = Partial<Record<ErrorKey, string | null>>;

interface ErrorGroup {
  readonly keys: Keys;
  readonly occurrences: Occurrence[];
}

export function listErrors(
  occurrences: readonly Occurrence[],
  period: Period,
  options: ErrorsOptions,
): { readonly rows: ErrorRow[]; readonly timeline: ErrorsTimeline } {
  const { error_message } = options;
  const search = error_message === undefined ? undefined : toMessageSearch(maskText(error_message));
  const groups = groupOccurrences(
    occurrences.filter((one) => isMatchingOccurrence(one, options, search)),
    options.group_by,
  );
  const [first = 'message'] = options.group_by;
  const by = (row: ErrorRow) => row[options.order_by === 'error' ? first : options.order_by] ?? null;
  return {
    rows: sortRows(groups.map(toErrorRow), {
      by,
      direction: options.dir,
      thenBy: makeKeyOrder(options.group_by, (row) => row),
    }),
    timeline: buildErrorsTimeline(groups, period, options),
  };
}

const makeKeyOrder = <Row>(names: readonly ErrorKey[], keysOf: (row: Row) => Keys) =>
  names.map((name) => (row: Row) => keysOf(row)[name] ?? null);

const hasPart = (text: string | null, part: string | undefined): boolean =>
  part === undefined || (text !== null && contains(text, part));

const isMatchingOccurrence = (
  one: Occurrence,
  { error_target, error_action, error_category }: ErrorsOptions,
  search: MessageSearch | undefined,
) =>
  hasPart(one.target, error_target) &&
  (search === undefined || isFoundBy(one, search)) &&
  hasPart(one.action, error_action) &&
  (error_category === undefined || one.category?.toLowerCase() === error_category.toLowerCase());

const isFoundBy = ({ message, action, target }: Occurrence, { texts, cause }: MessageSearch): boolean =>
  texts.some((text) => contains(message, text)) || cause === `${action} on ${target}`;

function groupOccurrences(occurrences: readonly Occurrence[], names: readonly ErrorKey[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  const [first] = names;
  for (const occurrence of occurrences) {
    if (first && occurrence[first] === null) continue;
    const values = names.map((name) => occurrence[name]);
    const id = JSON.stringify(values);
    const group = groups.get(id);
    if (group) group.occurrences.push(occurrence);
    else
      groups.set(id, {
        keys: Object.fromEntries(names.map((name) => [name, occurrence[name]])),
        occurrences: [occurrence],
      });
  }
  return [...groups.values()];
}

function toErrorRow({ keys, occurrences }: ErrorGroup): ErrorRow {
  const sortedOccurrences = occurrences.toSorted(compareNewestFirst);
  const [last] = sortedOccurrences;
  const first = sortedOccurrences.at(-1);
  if (!last || !first) throw new Error('A group of errors has no occurrence');
  const runs = [...new Set(sortedOccurrences.map(({ runId }) => runId))];
  return {
    ...keys,
    count: MEASURES.occurrence(occurrences),
    tests: MEASURES.test(occurrences),
    branches: MEASURES.branch(occurrences),
    runs: runs.length,
    firstSeen: formatIsoTime(first.createdAt),
    lastSeen: formatIsoTime(last.createdAt),
    latest: { runId: last.runId, signature: last.signature, spec: last.specFile, title: [...last.title] },
    latestRuns: runs.slice(0, METRIC_LIMITS.namedOfError),
    topTests: listTopTests(sortedOccurrences).slice(0, METRIC_LIMITS.namedOfError),
  };
}

const compareNewestFirst = (one: Occurrence, other: Occurrence): number =>
  other.createdAt - one.createdAt ||
  compareTexts(formatTestName(one), formatTestName(other)) ||
  compareTexts(one.runId, other.runId);

const formatTestName = ({ specFile, title }: Occurrence): string => JSON.stringify([specFile, ...title]);

/** Those with the most occurrences come first, then those in which the error is newest. */
const listTopTests = (occurrences: readonly Occurrence[]): ErrorRow['topTests'] =>
  [...Map.groupBy(occurrences, ({ signature }) => signature)]
    .map(([signature, testOccurrences]) => ({
      signature,
      spec: testOccurrences[0]?.specFile ?? '',
      title: [...(testOccurrences[0]?.title ?? [])],
      count: testOccurrences.length,
    }))
    .sort((one, other) => other.count - one.count);

const MEASURES: Readonly<Record<ErrorsOptions['metric'], (occurrences: readonly Occurrence[]) => number>> = {
  occurrence: ({ length }) => length,
  test: (occurrences) => new Set(occurrences.map(({ signature }) => signature)).size,
  branch: (occurrences) => new Set(occurrences.map(({ branch }) => branch)).size,
};

/** Each day shows the same errors: those with the highest counts in the whole period. */
function buildErrorsTimeline(
  groups: readonly ErrorGroup[],
  period: Period,
  { metric, top_n, group_by }: ErrorsOptions,
): ErrorsTimeline {
  const measure = MEASURES[metric];
  const top = sortRows(groups, {
    by: ({ occurrences }) => measure(occurrences),
    direction: 'desc',
    thenBy: makeKeyOrder(group_by, ({ keys }) => keys),
  }).slice(0, top_n);
  const days = top.map(({ occurrences }) =>
    Map.groupBy(occurrences, ({ createdAt }) => findBucketStart(createdAt, '1d')),
  );
  return Object.fromEntries(
    listBucketStarts(period, '1d').map((day) => [
      day,
      top.map(({ keys }, index) => ({ ...keys, value: measure(days[index]?.get(day) ?? []) })),
    ]),
  );
}
