/**
 * §3 The states of a run, and every way from one to another. A run's completion state says whether it goes on and why not;
 * its status says how its tests fared so far. Nothing changes either but a transition of this table, on the condition that
 * the run is in one of the states it may come from: whoever loses a race writes nothing, and nobody is told.
 */
import type { CompletionState, Run, RunStatus } from '../resources/run.ts';
import type { RunEventName } from '../resources/run-event.ts';
import type { Condition } from '../table/update.ts';

interface State {
  readonly completionState: CompletionState;
  readonly status: RunStatus;
}

const RUNNING: State = { completionState: 'IN_PROGRESS', status: 'RUNNING' };
const FAILING: State = { completionState: 'IN_PROGRESS', status: 'FAILING' };

const PASSED: State = { completionState: 'COMPLETE', status: 'PASSED' };
const FAILED: State = { completionState: 'COMPLETE', status: 'FAILED' };

interface Transition {
  readonly from: readonly State[];
  /** `keep`: the status stays as it is. */
  readonly to: readonly State[] | CompletionState;
  /** Told once for each group of the run. */
  readonly emits?: RunEventName;
}

export const TRANSITIONS = {
  /** A build's first machine. Groups that join later start, and are told of, by themselves. */
  start: { from: [], to: [RUNNING], emits: 'RUN_START' },
  /** The first failed test. */
  fail: { from: [RUNNING], to: [FAILING] },
  /** A reset took the last failed result back. */
  recover: { from: [FAILING], to: [RUNNING] },
  /** Every expected test has a final result. */
  finish: { from: [RUNNING, FAILING], to: [PASSED, FAILED], emits: 'RUN_FINISH' },
  /** By somebody, or because too many tests failed. The status stays. */
  cancel: { from: [RUNNING, FAILING], to: 'CANCELED', emits: 'RUN_CANCELED' },
  /** Nothing was reported for as long as the project allows. The status stays. */
  timeOut: { from: [RUNNING, FAILING], to: 'TIMEOUT', emits: 'RUN_TIMEOUT' },
  /** A result was corrected after the run had finished. */
  judge: { from: [PASSED, FAILED], to: [PASSED, FAILED] },
} as const satisfies Readonly<Record<string, Transition>>;

export type Ending = 'finish' | 'cancel' | 'timeOut';

export const INITIAL = TRANSITIONS.start.to[0];

/** A run in one of these goes on; every other one has ended for good. */
export const isUnderWay = ({ completionState }: Pick<Run, 'completionState'>): boolean =>
  completionState === 'IN_PROGRESS';

/** That the run is where the transition may begin. */
export const mayPass = (name: Exclude<keyof typeof TRANSITIONS, 'start'>): Condition => ({
  any: TRANSITIONS[name].from.map(({ completionState, status }) => ({
    all: [
      { path: 'completionState', equals: completionState },
      { path: 'status', equals: status },
    ],
  })),
});

/** That the run goes on: for what is no transition, but must not happen to a run that has ended. */
export const UNDER_WAY: Condition = { path: 'completionState', equals: 'IN_PROGRESS' };

/** What an ending writes. `failed`: whether a test did; only a run that finishes is judged by it. */
export const endState = (ending: Ending, failed: boolean): Partial<State> & Pick<State, 'completionState'> =>
  ending === 'finish' ? verdict(failed) : { completionState: TRANSITIONS[ending].to };

/** What a corrected result changes; nothing where the run was broken off, whose status stays what it was. */
export const judgement = ({ completionState }: Pick<Run, 'completionState'>, failed: boolean) =>
  completionState === 'COMPLETE' ? ([['status', verdict(failed).status]] as const) : [];

const verdict = (failed: boolean): State => (failed ? FAILED : PASSED);
