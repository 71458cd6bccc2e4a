/** Reads the totals of tests. */
import { type CollectedTotals, collectTotals, untilComplete } from './collect.ts';
import { matchesTags } from './filter.ts';
import { type NameOf, testOfSeries, withNamesOfTests } from './named.ts';
import type { AnalyticsFilter, AnalyticsScope, Period, Reader, SeriesTotals, TimeSlice } from './read-model.ts';
import { annotationsOf, type SeriesName } from './series.ts';
import { testSums, totalsOf } from './totals.ts';

interface SeriesInTime {
  readonly series: readonly SeriesTotals[];
  /** Returns the time slices of the given tests, by signature, without reading anything again. */
  readonly slicesOf: (signatures: ReadonlySet<string>) => ReadonlyMap<string, readonly TimeSlice[]>;
}

export const readSeries: Reader<SeriesTotals> = async (services, ...asked) =>
  (await readSeriesUpTo(services, undefined, ...asked)).series;

/** Reads the totals of tests, with time slices that are at most as long as a time span of `level`. */
export function readSeriesUpTo(
  services: Parameters<Reader<SeriesTotals>>[0],
  level: number | undefined,
  scope: AnalyticsScope,
  period: Period,
  filter: AnalyticsFilter,
): Promise<SeriesInTime> {
  const totals = untilComplete(() => collectTotals(services, { scope, period, filter, level }, 'tests'));
  return withNamesOfTests(services, scope, totals, (sources, names) => {
    const sums = testSums();
    for (const { tags, value } of sources) sums.add(value, wantedSeries(filter, tags, names.series));
    const rows = sums.rows().map(({ number, sums: fields, largest: [lastSeen = 0] }) => ({
      number,
      ...testOfSeries(scope, names, number),
      tags: names.series(number)[2],
      annotations: annotationsOf(names.series(number)),
      totals: totalsOf(fields),
      lastSeen,
    }));
    const series = rows.map(({ number: _, ...row }): SeriesTotals => row);
    return {
      series,
      slicesOf: (signatures) => {
        const own = rows.filter(({ signature }) => signatures.has(signature));
        const numbers = new Map(own.map(({ number, signature }) => [number, signature]));
        return slices(sources, numbers, (tags) => wantedSeries(filter, tags, names.series));
      },
    };
  });
}

type Wanted = ((number: number) => boolean) | undefined;

/**
 * Returns a function that chooses the series that match the filter, or `undefined` if all of them match. The tag filter
 * applies to the combined tags of the run, the group and the test.
 */
function wantedSeries(filter: AnalyticsFilter, inherited: readonly string[], nameOf: NameOf<SeriesName>): Wanted {
  if (matchesTags(filter, inherited)) return undefined;
  return (number) => matchesTags(filter, [...inherited, ...nameOf(number)[2]]);
}

/**
 * The time slices of each test, by signature, oldest first. A test that has several series has one slice per series in
 * each time span.
 */
function slices(
  sources: readonly CollectedTotals[],
  signatures: ReadonlyMap<number, string>,
  wantedIn: (tags: readonly string[]) => Wanted,
): ReadonlyMap<string, readonly TimeSlice[]> {
  const found = new Map<string, TimeSlice[]>();
  const times = Map.groupBy(sources, ({ during }) => `${during.from} ${during.to}`).values();
  for (const own of [...times].sort(([one], [other]) => (one?.during.from ?? 0) - (other?.during.from ?? 0))) {
    const [first] = own;
    const sums = testSums();
    for (const { tags, value } of own) {
      const wanted = wantedIn(tags);
      sums.add(value, (number) => signatures.has(number) && (!wanted || wanted(number)));
    }
    for (const { number, sums: fields } of sums.rows()) {
      const signature = signatures.get(number) ?? '';
      const all = found.get(signature) ?? [];
      if (first) all.push({ ...first.during, totals: totalsOf(fields) });
      found.set(signature, all);
    }
  }
  return found;
}
