/** §2.1, §3 Derives the outcome and the expected status of a reported test. */

import { countRetries, expectsFailure } from '#shared/model/results/attempt.ts';
import type { CountedTest, RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import { deriveFinalOutcome, isFlaky } from './executions/flaky.ts';

const SKIP_ANNOTATIONS: ReadonlySet<string> = new Set(['skip', 'fixme']);

type ReportedResult = Pick<TestRecord, 'reported' | 'expectedStatus' | 'annotations' | 'attempts'>;

export const isDeclaredSkip = ({
  expectedStatus,
  annotations,
}: Pick<ReportedResult, 'expectedStatus' | 'annotations'>): boolean =>
  expectedStatus === 'skipped' || annotations.some(({ type }) => SKIP_ANNOTATIONS.has(type));

/**
 * The final outcome that the reporter sends is authoritative, with two exceptions. The reporter also sends `pending` for
 * tests that did not run because a hook failed or, in serial mode, because an earlier test failed. §2.1 calls these
 * tests `skipped`. And it sends `pending` for flaky tests that skipped themselves in a retry.
 */
export const deriveOutcome = (test: ReportedResult): RecordedTestOutcome =>
  deriveFinalOutcome(deriveReportedOutcome(test), isStreamedTestFlaky(test));

function deriveReportedOutcome(test: ReportedResult): RecordedTestOutcome {
  const { outcome } = test.reported;
  if (outcome === 'pending' && !isDeclaredSkip(test)) return 'skipped';
  return outcome;
}

/** Skips and expected failures that are declared while the test runs appear only in the annotations. */
export function resolveExpectedStatus(test: ReportedResult): string {
  if (test.reported.outcome === 'pending' && isDeclaredSkip(test)) return 'skipped';
  return expectsFailure(test.expectedStatus, test.annotations) ? 'failed' : test.expectedStatus;
}

export const isStreamedTestFlaky = (test: ReportedResult): boolean =>
  isFlaky({
    outcome: deriveReportedOutcome(test),
    expectedStatus: resolveExpectedStatus(test),
    attempts: test.attempts,
    reportedFlaky: test.reported.flaky,
  });

export const toCountedTest = (test: ReportedResult): CountedTest => ({
  outcome: deriveOutcome(test),
  flaky: isStreamedTestFlaky(test),
  retries: countRetries(test.attempts),
});
