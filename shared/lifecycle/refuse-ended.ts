/**
 * §3 A late machine, job or file of a build joins its run for a day after the last end, unless the run was cancelled.
 */

import type { Run } from '#shared/model/runs/run.ts';
import { runCancelled, runExpired } from './errors.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

/** Throws 422 if the run has ended. A session of orchestration cannot reopen it, because its spec files are all assigned. */
export function refuseEnded({ completionState }: Pick<Run, 'completionState'>): void {
  if (completionState === 'CANCELED') throw runCancelled();
  if (completionState !== 'IN_PROGRESS') throw runExpired();
}

/** Throws 422 if the run has ended and can no longer be reopened. */
export function refuseTooLate(run: RunEnd, now: number): void {
  if (run.completionState === 'CANCELED') throw runCancelled();
  if (isTooLateToReopen(run, now)) throw runExpired();
}

type RunEnd = Pick<Run, 'completionState' | 'endedAt'>;

export const isTooLateToReopen = ({ completionState, endedAt = 0 }: RunEnd, now: number): boolean =>
  completionState !== 'IN_PROGRESS' && now - endedAt > LIFECYCLE_LIMITS.reopenMilliseconds;

/** Whether the run is in progress, or results can reopen it. */
export const canAcceptResults = (run: RunEnd, now: number): boolean =>
  run.completionState !== 'CANCELED' && !isTooLateToReopen(run, now);
