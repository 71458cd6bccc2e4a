/** §3 What reporters are told of a run that has ended: no result may be added to it, and a new CI build gets a new run. */
import { runCancelled, runExpired } from '../errors.ts';
import type { Run } from '../resources/run.ts';

export function refuseEnded({ completionState }: Pick<Run, 'completionState'>): void {
  if (completionState === 'CANCELED') throw runCancelled();
  if (completionState !== 'IN_PROGRESS') throw runExpired();
}
