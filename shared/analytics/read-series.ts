/** Reads the totals of tests. */
import { signatureOf } from '#shared/model/ids.ts';
import type { CoreServices } from '#shared/services.ts';
import { collectTotals, untilComplete } from './collect.ts';
import { matchesTags } from './filter.ts';
import { readNames } from './names.ts';
import type { AnalyticsFilter, AnalyticsScope, Reader, SeriesTotals } from './read-model.ts';
import { annotationsOf, type SeriesName } from './series.ts';
import { testSums, totalsOf } from './totals.ts';

export const readSeries: Reader<SeriesTotals> = async (services, scope, period, filter) => {
  const question = { scope, period, filter };
  const { edition, sources } = await untilComplete(() => collectTotals(services, question, 'T'));
  const list = { ...scope, epoch: edition.epoch };
  const [names, specs] = await namesOf(services, list);
  const sums = testSums();
  for (const { tags, value } of sources) sums.add(value, wantedSeries(filter, tags, names));
  return sums.rows().flatMap(({ number, sums: fields, largest: [lastSeen = 0] }): SeriesTotals[] => {
    const name = names.get(number);
    const specFile = name && specs.get(name[0]);
    if (!name || specFile === undefined) throw new Error(`The series ${number} of ${scope.projectId} has no name`);
    const [, title, tags] = name;
    const signature = signatureOf({ ...scope, spec: specFile, title });
    const annotations = annotationsOf(name);
    return [{ signature, specFile, title, tags, annotations, totals: totalsOf(fields), lastSeen }];
  });
};

type List = AnalyticsScope & { readonly epoch: number };

/** The numbers of facts that were read before have names already. */
const namesOf = (services: Pick<CoreServices, 'table'>, list: List) =>
  Promise.all([
    readNames<SeriesName>(services, { ...list, kind: 'TEST' }),
    readNames<string>(services, { ...list, kind: 'SPEC' }),
  ]);

/** An execution matches by a tag of its run, of its group or of its own. */
function wantedSeries(
  filter: AnalyticsFilter,
  inherited: readonly string[],
  names: ReadonlyMap<number, SeriesName>,
): ((number: number) => boolean) | undefined {
  if (matchesTags(filter, inherited)) return undefined;
  return (number) => matchesTags(filter, [...inherited, ...(names.get(number)?.[2] ?? [])]);
}
