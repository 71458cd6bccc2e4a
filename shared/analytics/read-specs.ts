/** Reads the totals of spec files. Tags of tests do not count: a spec file has those of its run and group. */
import { collectTotals, untilComplete } from './collect.ts';
import { readNames } from './names.ts';
import type { Reader, SpecTotals } from './read-model.ts';
import { specSums, specTotalsOf } from './totals.ts';

export const readSpecs: Reader<SpecTotals> = async (services, scope, period, filter) => {
  const question = { scope, period, filter };
  const { edition, sources } = await untilComplete(() => collectTotals(services, question, 'S'));
  const list = { ...scope, epoch: edition.epoch, kind: 'SPEC' } as const;
  const specs = await readNames<string>(services, list);
  const sums = specSums();
  for (const { value } of sources) sums.add(value);
  return sums.rows().map(({ number, sums: fields, largest: [suiteSize = 0] }) => {
    const specFile = specs.get(number);
    if (specFile === undefined) throw new Error(`The spec file ${number} of ${scope.projectId} has no name`);
    return specTotalsOf(specFile, fields, suiteSize);
  });
};
