/** §3 A test is flaky when at least one attempt matched the expected status and at least one did not. */

import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Attempt } from '#shared/model/results/attempt.ts';
import type { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';

interface FlakyInput {
  readonly outcome: RecordedTestOutcome;
  readonly expectedStatus: string;
  readonly attempts: readonly Pick<Attempt, 'attempt' | 'rawStatus'>[];
  /** Whether the reporter called the test flaky. Used only if the attempts do not show whether it is. */
  readonly reportedFlaky: boolean;
}

export function isFlaky({ outcome, expectedStatus, attempts, reportedFlaky }: FlakyInput): boolean {
  const verdicts = attempts.map(({ rawStatus }) => compareStatus(rawStatus, expectedStatus));
  const hasMatch = verdicts.includes('matched');
  const hasMiss = verdicts.includes('missed');
  if (hasMatch && hasMiss) return true;
  const contradicts = (outcome === 'passed' && !hasMatch) || (outcome === 'failed' && !hasMiss);
  const isConclusive = isWhole(attempts) && !verdicts.includes('unknown') && !contradicts;
  return isConclusive ? false : reportedFlaky;
}

/** §3 A test that failed and then skipped itself in a retry is flaky and not skipped, as Playwright says too. */
export const deriveFinalOutcome = (outcome: RecordedTestOutcome, flaky: boolean): RecordedTestOutcome =>
  outcome === 'pending' && flaky ? 'passed' : outcome;

type Verdict = 'matched' | 'missed' | 'did not run' | 'unknown';

const EXECUTED: ReadonlySet<string> = new Set(['passed', 'failed', 'timedOut']);
const SKIPPED: ReadonlySet<string> = new Set(['skipped', 'pending']);

/** A timeout is a status of its own, so it never matches an expected failure. An interrupted attempt has no outcome. */
function compareStatus(status: string, expectedStatus: string): Verdict {
  if (status === 'interrupted') return 'did not run';
  if (SKIPPED.has(status)) return SKIPPED.has(expectedStatus) ? 'matched' : 'did not run';
  if (!EXECUTED.has(status) || !(EXECUTED.has(expectedStatus) || SKIPPED.has(expectedStatus))) return 'unknown';
  return status === expectedStatus ? 'matched' : 'missed';
}

/** Their numbers must start at 0 without gaps. A list of the maximum length may have been cut. */
function isWhole(attempts: FlakyInput['attempts']): boolean {
  const numbers = new Set(attempts.map(({ attempt }) => attempt));
  const isNumbered = [...numbers].every((number) => number < numbers.size);
  return numbers.size > 0 && isNumbered && attempts.length < MODEL_LIMITS.attemptsPerTest;
}
