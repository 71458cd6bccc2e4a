/**
 * §3 A machine, job or file of a build that comes after the end of the run joins it, for a day after the last end. A
 * cancelled run stays cancelled. A new CI build creates a new run.
 */

import type { Run } from '#shared/model/runs/run.ts';
import { runCancelled, runExpired } from './errors.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

/** Throws 422 if the run has ended, for sessions whose spec files are all assigned by then. */
export function refuseEnded({ completionState }: Pick<Run, 'completionState'>): void {
  if (completionState === 'CANCELED') throw runCancelled();
  if (completionState !== 'IN_PROGRESS') throw runExpired();
}

/** Throws 422 if the run has ended and can no longer be reopened. */
export function refuseTooLate(run: Ended, now: number): void {
  if (run.completionState === 'CANCELED') throw runCancelled();
  if (isTooLate(run, now)) throw runExpired();
}

type Ended = Pick<Run, 'completionState' | 'endedAt'>;

/** Whether the run ended so long ago that nothing reopens it. */
export const isTooLate = ({ completionState, endedAt = 0 }: Ended, now: number): boolean =>
  completionState !== 'IN_PROGRESS' && now - endedAt > LIFECYCLE_LIMITS.reopenMilliseconds;

/** Whether the run is in progress, or may be again. */
export const canBeReopened = (run: Ended, now: number): boolean =>
  run.completionState !== 'CANCELED' && !isTooLate(run, now);
