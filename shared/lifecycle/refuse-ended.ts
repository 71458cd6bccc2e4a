/** §3 An ended run accepts no new machine, group or claim. A new CI build creates a new run. */

import type { Run } from '#shared/model/runs/run.ts';
import { runCancelled, runExpired } from './errors.ts';

export function refuseEnded({ completionState }: Pick<Run, 'completionState'>): void {
  if (completionState === 'CANCELED') throw runCancelled();
  if (completionState !== 'IN_PROGRESS') throw runExpired();
}

/**
 * Refuses an import into an ended run, unless an import created the run and the run was not cancelled. The results of
 * an accepted import count as late.
 */
export function refuseLate(run: Pick<Run, 'completionState' | 'imported'>): void {
  if (run.completionState === 'CANCELED' || !run.imported) refuseEnded(run);
}
