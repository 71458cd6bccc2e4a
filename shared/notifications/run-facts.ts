/** The facts about a run that a message in a channel contains. */
import type { Run } from '#shared/model/runs/run.ts';
import type { RunComparison } from '#shared/results/comparison-wire.ts';
import { SHOWN } from './compared.ts';

export interface RunFacts {
  readonly origin: string;
  readonly projectName: string;
  readonly run: Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId' | 'commit'>;
  /** The result of the run in a few words, without any text that people or tests wrote. */
  readonly result: string;
  readonly comparison: RunComparison;
}

/**
 * The tests that failed or were fixed, each with the label of its verdict. Flaky tests are left out. `total` also
 * counts tests that are missing from `tests`, because a comparison contains only the first tests of each section.
 */
export function listedTestsIn({ sections }: RunComparison) {
  const own = SHOWN.flatMap(([verdict, word]) => {
    const section = sections.find((one) => one.verdict === verdict);
    return section && verdict !== 'flaky' ? [{ word, section }] : [];
  });
  return {
    total: own.reduce((sum, { section }) => sum + section.total, 0),
    tests: own.flatMap(({ word, section }) => section.tests.map((test) => ({ word, test }))),
  };
}
