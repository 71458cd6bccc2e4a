/** §4.4.11 Ends synchronous work that takes too long, such as a regular expression with catastrophic backtracking. */
import { Script } from 'node:vm';
import { patternTooSlow } from './errors.ts';

const CALL = new Script('work()');

/** Runs `work` with a time limit. Throws 400 if the work takes longer. */
export function runWithin(milliseconds: number, work: () => void): void {
  if (!tryRunWithin(milliseconds, work)) throw patternTooSlow();
}

/** Returns false if the work takes longer. Not a sandbox, so `work` must be code of this service. */
export function tryRunWithin(milliseconds: number, work: () => void): boolean {
  try {
    CALL.runInNewContext({ work }, { timeout: milliseconds });
    return true;
  } catch (error) {
    if (isTimeout(error)) return false;
    throw error;
  }
}

/** The error comes from another JavaScript realm, so `instanceof` does not work. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
