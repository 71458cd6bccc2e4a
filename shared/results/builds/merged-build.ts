/** What is known of a CI build with several tries, and the states of builds. */

import type { Failure } from '#shared/model/results/failures.ts';
import type { Run } from '#shared/model/runs/run.ts';

/** From the best state to the worst one, which decides. */
const BUILD_STATES = ['passed', 'canceled', 'running', 'failed'] as const;
export type BuildState = (typeof BUILD_STATES)[number];

export const pickWorstState = (states: readonly BuildState[]): BuildState =>
  BUILD_STATES.findLast((one) => states.includes(one)) ?? 'passed';

export interface MergedBuild {
  /** The runs of the tries, the oldest first. There are at least two. */
  readonly tries: readonly Run[];
  readonly newest: Run;
  readonly state: BuildState;
  /** The failed and skipped executions that still count. */
  readonly open: readonly Failure[];
  /** The failed executions of tests that passed in a later try, so that these tests are flaky. */
  readonly repaired: readonly Failure[];
  /** The number of flaky tests: those that passed in a later try, and those that were flaky within a try. */
  readonly flaky: number;
  /** Whether `open` and `repaired` have all tests. */
  readonly isWhole: boolean;
}
