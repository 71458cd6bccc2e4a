/** §2.1, §3 Derives the outcome and the expected status of a reported test. */

import { countRetries, expectsFailure } from '#shared/model/tests/attempt.ts';
import type { CountedTest, RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';
import type { TestRecord } from '#shared/model/tests/test-record.ts';
import { finalOutcome, isFlaky } from './flaky.ts';

const SKIP_ANNOTATIONS: ReadonlySet<string> = new Set(['skip', 'fixme']);

type Reported = Pick<TestRecord, 'reported' | 'expectedStatus' | 'annotations' | 'attempts'>;

export const isDeclaredSkip = ({
  expectedStatus,
  annotations,
}: Pick<Reported, 'expectedStatus' | 'annotations'>): boolean =>
  expectedStatus === 'skipped' || annotations.some(({ type }) => SKIP_ANNOTATIONS.has(type));

/**
 * The final outcome that the reporter sends is authoritative, with two exceptions. The reporter also sends `pending` for
 * tests that did not run because a hook failed or, in serial mode, because an earlier test failed. §2.1 calls these
 * tests `skipped`. And it sends `pending` for flaky tests that skipped themselves in a retry.
 */
export const streamedOutcome = (test: Reported): RecordedTestOutcome =>
  finalOutcome(namedOutcome(test), streamedFlaky(test));

function namedOutcome(test: Reported): RecordedTestOutcome {
  const { outcome } = test.reported;
  if (outcome === 'pending' && !isDeclaredSkip(test)) return 'skipped';
  return outcome;
}

/**
 * Returns the expected status of a test. The reporter's first message contains the status that was declared beforehand.
 * Skips and expected failures that are declared while the test runs appear only in the annotations.
 */
export function expectedStatusOf(test: Reported): string {
  if (test.reported.outcome === 'pending' && isDeclaredSkip(test)) return 'skipped';
  return expectsFailure(test.expectedStatus, test.annotations) ? 'failed' : test.expectedStatus;
}

export const streamedFlaky = (test: Reported): boolean =>
  isFlaky({
    outcome: namedOutcome(test),
    expectedStatus: expectedStatusOf(test),
    attempts: test.attempts,
    reportedFlaky: test.reported.flaky,
  });

export const countedOf = (test: Reported): CountedTest => ({
  outcome: streamedOutcome(test),
  flaky: streamedFlaky(test),
  retries: countRetries(test.attempts),
});
