/** Reads the totals of tests. */
import { signatureOf } from '#shared/model/ids.ts';
import { collectTotals, untilComplete } from './collect.ts';
import { matchesTags } from './filter.ts';
import { type NameOf, withNamesOfTests } from './named.ts';
import type { AnalyticsFilter, Reader, SeriesTotals } from './read-model.ts';
import { annotationsOf, type SeriesName } from './series.ts';
import { testSums, totalsOf } from './totals.ts';

export const readSeries: Reader<SeriesTotals> = (services, scope, period, filter) => {
  const totals = untilComplete(() => collectTotals(services, { scope, period, filter }, 'T'));
  return withNamesOfTests(services, scope, totals, (sources, names) => {
    const sums = testSums();
    for (const { tags, value } of sources) sums.add(value, wantedSeries(filter, tags, names.series));
    return sums.rows().map(({ number, sums: fields, largest: [lastSeen = 0] }): SeriesTotals => {
      const name = names.series(number);
      const [spec, title, tags] = name;
      const specFile = names.specFile(spec);
      const signature = signatureOf({ ...scope, spec: specFile, title });
      const annotations = annotationsOf(name);
      return { signature, specFile, title, tags, annotations, totals: totalsOf(fields), lastSeen };
    });
  });
};

/** An execution matches by a tag of its run, of its group or of its own. */
function wantedSeries(
  filter: AnalyticsFilter,
  inherited: readonly string[],
  nameOf: NameOf<SeriesName>,
): ((number: number) => boolean) | undefined {
  if (matchesTags(filter, inherited)) return undefined;
  return (number) => matchesTags(filter, [...inherited, ...nameOf(number)[2]]);
}
