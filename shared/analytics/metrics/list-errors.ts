/** §4.4.5 Builds the rows of the list of errors: filtered, grouped and sorted. */

import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { searchOf } from '#shared/errors/search-text.ts';
import { maskedText } from '#shared/masking/masking.ts';
import { byText, contains } from '#shared/results/contains.ts';
import type { Occurrence, Period } from '../read-model.ts';
import { bucketOf, bucketsOf } from './buckets.ts';
import type { ErrorKey, ErrorRow, ErrorsQuery, ErrorsTimeline } from './errors-wire.ts';
import { METRIC_LIMITS } from './limits.ts';
import { sorted } from './order.ts';

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
  const texts = error_message === undefined ? undefined : searchOf(maskedText(error_message)).texts;
  const groups = grouped(
    occurrences.filter((one) => matches(one, options, texts)),
    options.group_by,
  );
  const [first = 'message'] = options.group_by;
  const by = (row: ErrorRow) => row[options.order_by === 'error' ? first : options.order_by] ?? null;
  return {
    rows: sorted(groups.map(rowOf), { by, direction: options.dir, thenBy: keyOrder(options.group_by, (row) => row) }),
    timeline: timelineOf(groups, period, options),
  };
}

const keyOrder = <Row>(names: readonly ErrorKey[], keysOf: (row: Row) => Keys) =>
  names.map((name) => (row: Row) => keysOf(row)[name] ?? null);

const has = (text: string | null, part: string | undefined): boolean =>
  part === undefined || (text !== null && contains(text, part));

/** `texts`: what the message must contain, one of them. */
const matches = (
  one: Occurrence,
  { error_target, error_action, error_category }: ErrorsOptions,
  texts: readonly string[] | undefined,
) =>
  has(one.target, error_target) &&
  (texts === undefined || texts.some((text) => contains(one.message, text))) &&
  has(one.action, error_action) &&
  (error_category === undefined || one.category?.toLowerCase() === error_category.toLowerCase());

function grouped(occurrences: readonly Occurrence[], names: readonly ErrorKey[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>();
  const [first] = names;
  for (const one of occurrences) {
    if (first && one[first] === null) continue;
    const values = names.map((name) => one[name]);
    const id = JSON.stringify(values);
    const known = groups.get(id);
    if (known) known.occurrences.push(one);
    else groups.set(id, { keys: Object.fromEntries(names.map((name) => [name, one[name]])), occurrences: [one] });
  }
  return [...groups.values()];
}

function rowOf({ keys, occurrences }: ErrorGroup): ErrorRow {
  const newest = occurrences.toSorted(newestFirst);
  const [last] = newest;
  const first = newest.at(-1);
  if (!last || !first) throw new Error('A group of errors has no occurrence');
  const runs = [...new Set(newest.map(({ runId }) => runId))];
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
    topTests: testsOf(newest).slice(0, METRIC_LIMITS.namedOfError),
  };
}

const newestFirst = (one: Occurrence, other: Occurrence): number =>
  other.createdAt - one.createdAt || byText(nameOf(one), nameOf(other)) || byText(one.runId, other.runId);

const nameOf = ({ specFile, title }: Occurrence): string => JSON.stringify([specFile, ...title]);

/** The tests in which an error occurred, those with the most occurrences first, then those in which it is newest. */
const testsOf = (newest: readonly Occurrence[]): ErrorRow['topTests'] =>
  [...Map.groupBy(newest, ({ signature }) => signature)]
    .map(([signature, own]) => ({
      signature,
      spec: own[0]?.specFile ?? '',
      title: [...(own[0]?.title ?? [])],
      count: own.length,
    }))
    .sort((one, other) => other.count - one.count);

const MEASURES: Readonly<Record<ErrorsOptions['metric'], (occurrences: readonly Occurrence[]) => number>> = {
  occurrence: ({ length }) => length,
  test: (occurrences) => new Set(occurrences.map(({ signature }) => signature)).size,
  branch: (occurrences) => new Set(occurrences.map(({ branch }) => branch)).size,
};

/**
 * The timeline of the most frequent errors. Each day shows the same errors: those with the highest counts in the whole
 * period.
 */
function timelineOf(
  groups: readonly ErrorGroup[],
  period: Period,
  { metric, top_n, group_by }: ErrorsOptions,
): ErrorsTimeline {
  const measure = MEASURES[metric];
  const top = sorted(groups, {
    by: ({ occurrences }) => measure(occurrences),
    direction: 'desc',
    thenBy: keyOrder(group_by, ({ keys }) => keys),
  }).slice(0, top_n);
  const days = top.map(({ occurrences }) => Map.groupBy(occurrences, ({ createdAt }) => bucketOf(createdAt, '1d')));
  return Object.fromEntries(
    bucketsOf(period, '1d').map((day) => [
      day,
      top.map(({ keys }, index) => ({ ...keys, value: measure(days[index]?.get(day) ?? []) })),
    ]),
  );
}
