/**
 * §3 The state machine of a run. The completion state says whether and how the run ended. The status says whether its
 * tests passed. A run in progress is RUNNING or FAILING, and an ended run is PASSED or FAILED. Both states change only
 * through the transitions in this table. Each write requires that the run is in an allowed source state, so the loser
 * of a race writes nothing and sends no event.
 */

import type { Condition } from '#shared/engine/table/update.ts';
import type { RunEnding } from '#shared/model/events/domain-event.ts';
import { hasFailed, type Instance, isComplete } from '#shared/model/results/instance.ts';
import type { CompletionState, Run, RunStatus } from '#shared/model/runs/run.ts';
import { isBroken } from '#shared/model/runs/run-of-commit.ts';

interface State {
  readonly completionState: CompletionState;
  readonly status: RunStatus;
}

const RUNNING: State = { completionState: 'IN_PROGRESS', status: 'RUNNING' };
const FAILING: State = { completionState: 'IN_PROGRESS', status: 'FAILING' };

type FinalCompletionState = Exclude<CompletionState, 'IN_PROGRESS'>;

const makeEndStates = (completionState: FinalCompletionState) =>
  [
    { completionState, status: 'PASSED' },
    { completionState, status: 'FAILED' },
  ] as const satisfies readonly State[];

const ENDED = [...makeEndStates('COMPLETE'), ...makeEndStates('CANCELED'), ...makeEndStates('TIMEOUT')];

/** A cancelled run is never resumed. */
const REOPENED = [...makeEndStates('COMPLETE'), ...makeEndStates('TIMEOUT')];

interface Transition {
  readonly from: readonly State[];
  readonly to: readonly State[];
}

export const TRANSITIONS = {
  /** The first machine of a build starts the run. Groups that join later start separately. */
  start: { from: [], to: [RUNNING] },
  /** A test failed or was skipped, and the run had no such test before. */
  fail: { from: [RUNNING], to: [FAILING] },
  /** A reset left no failed or skipped test. */
  recover: { from: [FAILING], to: [RUNNING] },
  /** Every expected test has a final result. */
  finish: { from: [RUNNING, FAILING], to: makeEndStates('COMPLETE') },
  /** An actor cancelled the run, or too many tests failed. */
  cancel: { from: [RUNNING, FAILING], to: makeEndStates('CANCELED') },
  /** No machine reported anything within the inactivity timeout of the run. */
  timeOut: { from: [RUNNING, FAILING], to: makeEndStates('TIMEOUT') },
  /** A machine, job or file of the build came after the end of the run. */
  reopen: { from: REOPENED, to: [RUNNING, FAILING] },
  /** A result arrived or changed after the end of the run. The completion state does not change. */
  judge: { from: ENDED, to: ENDED },
} as const satisfies Readonly<Record<string, Transition>>;

export const INITIAL = TRANSITIONS.start.to[0];

/**
 * Whether every expected test has finished, and no import or machine keeps the run open. `instancesExpected` is 0 until
 * the first suite is stored. Imported reports and released runs may have no expected tests.
 */
export const isFullyReported = (
  { instancesExpected, held, imported, released }: Pick<Run, 'instancesExpected' | 'held' | 'imported' | 'released'>,
  instances: readonly Pick<Instance, 'completedAt'>[],
): boolean =>
  !held &&
  (instancesExpected > 0 || imported === true || released === true) &&
  instances.length >= instancesExpected &&
  instances.every(isComplete);

/** The condition that the run is in a state from which the transition is allowed. */
export const requireTransition = (name: Exclude<keyof typeof TRANSITIONS, 'start'>): Condition => ({
  any: TRANSITIONS[name].from.map(({ completionState, status }) => ({
    all: [
      { path: 'completionState', equals: completionState },
      { path: 'status', equals: status },
    ],
  })),
});

/** The condition that the run is in progress, for writes that are not transitions. */
export const UNDER_WAY: Condition = { path: 'completionState', equals: 'IN_PROGRESS' };

export function deriveEndState(
  ending: RunEnding,
  run: JudgedRun,
  instances: readonly Results[],
): State & { readonly completionState: FinalCompletionState } {
  const [{ completionState }] = TRANSITIONS[ending].to;
  return { completionState, status: deriveVerdict(completionState, run, instances) };
}

type Results = Pick<Instance, 'completedAt' | 'counters'>;
type JudgedRun = Pick<Run, 'held' | 'jobFailed'>;

/**
 * PASSED requires at least one reported test, and no failure of a test or of the job. If the run timed out, also that
 * every expected test finished, and that no import or machine kept the run open.
 */
export const deriveVerdict = (
  completionState: FinalCompletionState,
  run: JudgedRun,
  instances: readonly Results[],
): 'PASSED' | 'FAILED' =>
  instances.some(hasFailed) || isBroken({ ...run, completionState }, instances) ? 'FAILED' : 'PASSED';
