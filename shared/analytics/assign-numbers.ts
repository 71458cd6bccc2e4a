/** Assigns the next free numbers to spec files and series that are new to a project. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { mergeInheritedTags, type Numbers, pickOwnTags, type TestedInstance } from './group-facts.ts';
import { ensureNames } from './names.ts';
import { findMissingSeries, makeSeriesLookup, makeSeriesName, type SeriesName } from './series.ts';
import type { WholeRun } from './whole-run.ts';

export async function assignNumbers(
  services: WithTable,
  { run, groups, tested }: Pick<WholeRun, 'run' | 'groups'> & { readonly tested: readonly TestedInstance[] },
): Promise<Numbers> {
  const { organizationId, projectId } = run;
  const list = { organizationId, projectId };
  const files = [...new Set(tested.map(({ instance }) => instance.spec))];
  const specs = await ensureNames<string>(services, { ...list, kind: 'SPEC' }, (storedNames) => {
    const names = new Set(storedNames.values());
    return files.filter((file) => !names.has(file));
  });
  const specNumbers = new Map([...specs].map(([number, file]) => [file, number]));
  const tagsByGroup = new Map(groups.map((group) => [group.groupId, mergeInheritedTags(run, group)]));
  const usedSeries = tested.flatMap(({ instance, tests }) =>
    tests.map((test) => {
      const tags = pickOwnTags(test, tagsByGroup.get(instance.groupId) ?? []);
      return makeSeriesName(specNumbers.get(instance.spec) ?? 0, { ...test, tags });
    }),
  );
  const series = await ensureNames<SeriesName>(services, { ...list, kind: 'TEST' }, (storedSeries) =>
    findMissingSeries(storedSeries, usedSeries),
  );
  const numberOf = makeSeriesLookup(series);
  return {
    spec: (file) => specNumbers.get(file),
    series: (file, test, tags) => numberOf(makeSeriesName(specNumbers.get(file) ?? 0, { ...test, tags })),
  };
}
