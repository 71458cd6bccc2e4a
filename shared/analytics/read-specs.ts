/** Reads the totals of spec files. Tags of tests are ignored: a spec file has only the tags of its run and group. */
import { collectTotals, retryUntilComplete } from './collect.ts';
import { answerWithSpecFileNames } from './named.ts';
import type { Reader, SpecTotals } from './read-model.ts';
import { makeSpecSums, toSpecTotals } from './totals.ts';

export const readSpecs: Reader<SpecTotals> = (services, scope, period, filter) => {
  const totals = retryUntilComplete(() => collectTotals(services, { scope, period, filter }, 'specs'));
  return answerWithSpecFileNames(services, scope, totals, (sources, specFile) => {
    const sums = makeSpecSums();
    for (const { value } of sources) sums.add(value);
    return sums
      .rows()
      .map(({ number, sums: fields, largest: [suiteSize = 0] }) => toSpecTotals(specFile(number), fields, suiteSize));
  });
};
