/** Decides from the executions of a test whether it is flaky, and how certain that is. */
import { FLAKY_LIMITS } from './limits.ts';

export interface FlakyEvidence {
  /** Executions that both failed and passed within one run, plus results that deviate from runs of the same commit. */
  readonly events: number;
  /** Number of executions whose final result is passed or failed. */
  readonly executions: number;
  /** The numbers of events and executions in the last `recoveryDays` days. */
  readonly recent: { readonly events: number; readonly executions: number };
  readonly defaultBranch: { readonly failures: number; readonly executions: number };
}

export const FLAKY_STATES = ['flaky', 'suspected', 'recovered', 'broken'] as const;
export type FlakyState = (typeof FLAKY_STATES)[number];

export const computeScore = ({ events, executions }: Pick<FlakyEvidence, 'events' | 'executions'>): number =>
  computeLowerBound(events, executions);

/** Returns `undefined` if there is no evidence that the test is unreliable. */
export function determineFlakyState(evidence: FlakyEvidence): FlakyState | undefined {
  const { events, recent, defaultBranch } = evidence;
  const { flaky, recoveredExecutions, brokenScore } = FLAKY_LIMITS;
  const failureBound = computeLowerBound(defaultBranch.failures, defaultBranch.executions);
  if (recent.events === 0 && failureBound >= brokenScore) return 'broken';
  if (events === 0) return undefined;
  if (recent.events === 0 && recent.executions >= recoveredExecutions) return 'recovered';
  return events >= flaky.events && computeScore(evidence) >= flaky.score ? 'flaky' : 'suspected';
}

/** The Wilson score bound of a rate. It is low with few trials, so that a few failures do not make a test broken. */
export function computeLowerBound(events: number, trials: number): number {
  if (trials === 0) return 0;
  const { z } = FLAKY_LIMITS;
  const rate = Math.min(1, events / trials);
  const middle = rate + (z * z) / (2 * trials);
  const reach = z * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials));
  return Math.max(0, (middle - reach) / (1 + (z * z) / trials));
}
