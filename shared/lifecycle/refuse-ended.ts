/** §3 An ended run accepts no new machine, group or claim. A new CI build gets a new run. */
import { runCancelled, runExpired } from '#shared/engine/errors.ts';
import type { Run } from '#shared/model/run.ts';

export function refuseEnded({ completionState }: Pick<Run, 'completionState'>): void {
  if (completionState === 'CANCELED') throw runCancelled();
  if (completionState !== 'IN_PROGRESS') throw runExpired();
}
