/**
 * Reads the totals of tests. A series is one test with one set of its own tags and annotations, and has a number in the
 * stored totals. So a test whose tags changed has several.
 */
import { type CollectedTotals, collectTotals, retryUntilComplete } from './collect.ts';
import { hasMatchingTags } from './filter.ts';
import { answerWithTestNames, identifyTest, type NameOf } from './named.ts';
import type { AnalyticsFilter, AnalyticsScope, Period, Reader, SeriesTotals, TimeSlice } from './read-model.ts';
import { getAnnotations, getTags, type SeriesName } from './series.ts';
import { makeTestSums, toTotals } from './totals.ts';

interface SeriesInTime {
  readonly series: readonly SeriesTotals[];
  /** Returns the time slices of the given tests, by signature, without reading anything again. */
  readonly slicesOf: (signatures: ReadonlySet<string>) => ReadonlyMap<string, readonly TimeSlice[]>;
}

export const readSeries: Reader<SeriesTotals> = async (services, ...query) =>
  (await readSeriesInTime(services, undefined, ...query)).series;

/** `level`: the longest time span of a slice, by its level in the tree of spans (see `collect.ts`). */
export function readSeriesInTime(
  services: Parameters<Reader<SeriesTotals>>[0],
  level: number | undefined,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
): Promise<SeriesInTime> {
  const totals = retryUntilComplete(() => collectTotals(services, { scope, period, filter, level }, 'tests'));
  return answerWithTestNames(services, scope, totals, (sources, names) => {
    const sums = makeTestSums();
    for (const { tags, value } of sources) sums.add(value, makeSeriesFilter(filter, tags, names.series));
    const rows = sums.rows().map(({ number, sums: fields, largest }) => ({
      number,
      ...identifyTest(scope, names, number),
      tags: getTags(names.series(number)),
      annotations: getAnnotations(names.series(number)),
      totals: toTotals(fields),
      lastSeen: largest[0] ?? 0,
    }));
    const series = rows.map(({ number: _, ...row }): SeriesTotals => row);
    return {
      series,
      slicesOf: (signatures) => {
        const selectedRows = rows.filter(({ signature }) => signatures.has(signature));
        const numbers = new Map(selectedRows.map(({ number, signature }) => [number, signature]));
        return computeSlices(sources, numbers, (tags) => makeSeriesFilter(filter, tags, names.series));
      },
    };
  });
}

type SeriesFilter = ((number: number) => boolean) | undefined;

/** `undefined` if all series match. The tag filter applies to the combined tags of the run, the group and the test. */
function makeSeriesFilter(
  filter: AnalyticsFilter,
  inheritedTags: readonly string[],
  nameOf: NameOf<SeriesName>,
): SeriesFilter {
  if (hasMatchingTags(filter, inheritedTags)) return undefined;
  return (number) => hasMatchingTags(filter, [...inheritedTags, ...getTags(nameOf(number))]);
}

/** By signature, oldest first. A test that has several series has one slice per series in each time span. */
function computeSlices(
  sources: readonly CollectedTotals[],
  signatures: ReadonlyMap<number, string>,
  makeFilter: (tags: readonly string[]) => SeriesFilter,
): ReadonlyMap<string, readonly TimeSlice[]> {
  const slicesBySignature = new Map<string, TimeSlice[]>();
  const spans = Map.groupBy(sources, ({ during }) => `${during.from} ${during.to}`).values();
  for (const spanTotals of [...spans].sort(([one], [other]) => (one?.during.from ?? 0) - (other?.during.from ?? 0))) {
    const [first] = spanTotals;
    const sums = makeTestSums();
    for (const { tags, value } of spanTotals) {
      const isMatchingSeries = makeFilter(tags);
      sums.add(value, (number) => signatures.has(number) && (!isMatchingSeries || isMatchingSeries(number)));
    }
    for (const { number, sums: fields } of sums.rows()) {
      const signature = signatures.get(number) ?? '';
      const all = slicesBySignature.get(signature) ?? [];
      if (first) all.push({ ...first.during, totals: toTotals(fields) });
      slicesBySignature.set(signature, all);
    }
  }
  return slicesBySignature;
}
