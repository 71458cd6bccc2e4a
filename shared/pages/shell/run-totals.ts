/** The tests and spec files of a run, counted over all of its groups. */
import type * as z from 'zod';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import { findMergedBuild } from '#shared/pages/design/run-outcome.ts';
import type { RunFeedItem } from '#shared/results/runs/run-wire.ts';

type Run = Pick<z.infer<typeof RunFeedItem>, 'runId' | 'groups' | 'build' | 'status' | 'completionState'>;

/** The tests that the page of the run counts: those of all tries if the run shows the merged view of its build. */
export function countShownTests(run: Run): Counters & { readonly tests: number } {
  const mergedTests = findMergedBuild(run)?.tests;
  return mergedTests ? { ...mergedTests, tests: mergedTests.overall } : sumGroups(run);
}

/** `tests` counts expected tests. The other counters count reported ones. */
export function sumGroups({ groups }: Pick<Run, 'groups'>) {
  const totals = { ...sumCounters(groups.map(({ tests }) => tests)), tests: 0, specs: 0, completeSpecs: 0 };
  for (const { tests, instances } of groups) {
    totals.tests += tests.tests;
    totals.specs += instances.overall;
    totals.completeSpecs += instances.complete;
  }
  return totals;
}
