/** §4.4 Ends synchronous work that takes too long, such as a regular expression with catastrophic backtracking. */
import { Script } from 'node:vm';
import { patternTooSlow } from '#shared/engine/rule-errors.ts';

const CALL = new Script('work()');

/** Throws 400 if the work takes longer. It is no sandbox: the work is our own code. */
export function withinTime(milliseconds: number, work: () => void): void {
  try {
    CALL.runInNewContext({ work }, { timeout: milliseconds });
  } catch (error) {
    throw isTimeout(error) ? patternTooSlow() : error;
  }
}

/** The error belongs to Node's own realm, so `instanceof` says nothing. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
