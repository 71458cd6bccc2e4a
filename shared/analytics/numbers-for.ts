/** Numbers of the spec files and series of a run. Names that are new to the project get the next numbers. */
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { CoreServices } from '#shared/services.ts';
import { inheritedTags, type Numbers, ownTags, type TestedInstance } from './facts-of-group.ts';
import { ensureNames } from './names.ts';
import { missingSeries, type SeriesName, seriesName, seriesNumbers } from './series.ts';

interface Named {
  readonly run: Run;
  readonly groups: readonly Group[];
  readonly tested: readonly TestedInstance[];
}

export async function numbersFor(
  services: Pick<CoreServices, 'table'>,
  { run, groups, tested }: Named,
): Promise<Numbers> {
  const { organizationId, projectId } = run;
  const list = { organizationId, projectId };
  const files = [...new Set(tested.map(({ instance }) => instance.spec))];
  const specs = await ensureNames<string>(services, { ...list, kind: 'SPEC' }, (known) => {
    const names = new Set(known.values());
    return files.filter((file) => !names.has(file));
  });
  const specNumbers = new Map([...specs].map(([number, file]) => [file, number]));
  const inherited = new Map(groups.map((group) => [group.groupId, inheritedTags(run, group)]));
  const wanted = tested.flatMap(({ instance, tests }) =>
    tests.map((test) => {
      const tags = ownTags(test, inherited.get(instance.groupId) ?? []);
      return seriesName(specNumbers.get(instance.spec) ?? 0, { ...test, tags });
    }),
  );
  const series = await ensureNames<SeriesName>(services, { ...list, kind: 'TEST' }, (known) =>
    missingSeries(known, wanted),
  );
  const numberOf = seriesNumbers(series);
  return {
    spec: (file) => specNumbers.get(file),
    series: (file, test, tags) => numberOf(seriesName(specNumbers.get(file) ?? 0, { ...test, tags })),
  };
}
