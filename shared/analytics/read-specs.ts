/** Reads the totals of spec files. Tags of tests are ignored: a spec file has only the tags of its run and group. */
import { collectTotals, untilComplete } from './collect.ts';
import { withNamesOfSpecFiles } from './named.ts';
import type { Reader, SpecTotals } from './read-model.ts';
import { specSums, specTotalsOf } from './totals.ts';

export const readSpecs: Reader<SpecTotals> = (services, scope, period, filter) => {
  const totals = untilComplete(() => collectTotals(services, { scope, period, filter }, 'specs'));
  return withNamesOfSpecFiles(services, scope, totals, (sources, specFile) => {
    const sums = specSums();
    for (const { value } of sources) sums.add(value);
    return sums
      .rows()
      .map(({ number, sums: fields, largest: [suiteSize = 0] }) => specTotalsOf(specFile(number), fields, suiteSize));
  });
};
