/** What a message in a channel tells about a run. */
import type { Run } from '#shared/model/runs/run.ts';
import type { RunComparison } from '#shared/results/comparison-wire.ts';
import { SHOWN } from './compared.ts';

export interface RunFacts {
  readonly origin: string;
  readonly projectName: string;
  readonly run: Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId' | 'commit'>;
  /** The result in a few words, without texts of people or tests. */
  readonly result: string;
  readonly comparison: RunComparison;
}

/** The tests of all verdicts but flaky, each with the word for its verdict. */
export function failedTestsIn({ sections }: RunComparison) {
  const own = SHOWN.flatMap(([verdict, word]) => {
    const section = sections.find((one) => one.verdict === verdict);
    return section && verdict !== 'flaky' ? [{ word, section }] : [];
  });
  return {
    total: own.reduce((sum, { section }) => sum + section.total, 0),
    tests: own.flatMap(({ word, section }) => section.tests.map((test) => ({ word, test }))),
  };
}
