/** §3 A test is flaky when at least one attempt matched the expected status and at least one did not. */

import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Attempt } from '#shared/model/tests/attempt.ts';
import type { RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';

interface Reported {
  readonly outcome: RecordedTestOutcome;
  readonly expectedStatus: string;
  readonly attempts: readonly Pick<Attempt, 'attempt' | 'rawStatus'>[];
  /** Whether the reporter called the test flaky. Used only if the attempts do not show whether it is. */
  readonly reportedFlaky: boolean;
}

export function isFlaky({ outcome, expectedStatus, attempts, reportedFlaky }: Reported): boolean {
  const verdicts = attempts.map(({ rawStatus }) => compare(rawStatus, expectedStatus));
  const matched = verdicts.includes('matched');
  const missed = verdicts.includes('missed');
  if (matched && missed) return true;
  const contradicts = (outcome === 'passed' && !matched) || (outcome === 'failed' && !missed);
  const tells = isWhole(attempts) && !verdicts.includes('unknown') && !contradicts;
  return tells ? false : reportedFlaky;
}

/**
 * §3 The final outcome combines all attempts. A test that failed and then skipped itself in a retry is flaky and not
 * skipped, as Playwright says too. So flaky tests are never among those that were skipped on purpose.
 */
export const finalOutcome = (outcome: RecordedTestOutcome, flaky: boolean): RecordedTestOutcome =>
  outcome === 'pending' && flaky ? 'passed' : outcome;

type Verdict = 'matched' | 'missed' | 'did not run' | 'unknown';

const EXECUTED: ReadonlySet<string> = new Set(['passed', 'failed', 'timedOut']);
const SKIPPED: ReadonlySet<string> = new Set(['skipped', 'pending']);

/**
 * Compares the status of an attempt with the expected status. A timeout has a status of its own, so it never matches an
 * expected failure. An interrupted attempt has no outcome.
 */
function compare(status: string, expected: string): Verdict {
  if (status === 'interrupted') return 'did not run';
  if (SKIPPED.has(status)) return SKIPPED.has(expected) ? 'matched' : 'did not run';
  if (!EXECUTED.has(status) || !(EXECUTED.has(expected) || SKIPPED.has(expected))) return 'unknown';
  return status === expected ? 'matched' : 'missed';
}

/**
 * Whether the list contains all attempts: their numbers must start at 0 without gaps. A list of the maximum length may
 * have been cut.
 */
function isWhole(attempts: Reported['attempts']): boolean {
  const numbers = new Set(attempts.map(({ attempt }) => attempt));
  const isNumbered = [...numbers].every((number) => number < numbers.size);
  return numbers.size > 0 && isNumbered && attempts.length < MODEL_LIMITS.attemptsPerTest;
}
