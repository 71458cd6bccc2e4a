/** Translates messages of the reporters into the terms of the product. */
import { withPlausibleStarts } from '#shared/ingest/attempt-times.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { type Attempt, expectsFailure, withErrorsOfPasses } from '#shared/model/attempt.ts';
import type { RecordedTestOutcome } from '#shared/model/outcomes.ts';
import { isDeclaredSkip } from '#shared/results/outcome.ts';
import type { BatchInstance } from './batch-wire.ts';
import { evidenceIn } from './evidence-wire.ts';
import type { CreateTestRecordBody, TestMessage } from './test-wire.ts';

/** An update of a test does not repeat the declared status, but its annotations say it, too. */
export function streamedAttempts(
  {
    attempts,
    annotations,
    expectedStatus = 'passed',
  }: Pick<TestMessage, 'attempts' | 'annotations'> & Partial<Pick<CreateTestRecordBody, 'expectedStatus'>>,
  now: number,
): readonly Attempt[] {
  // §6 The reporter calls tests `pending` that a failed hook or predecessor kept from running.
  const skipped: RecordedTestOutcome = isDeclaredSkip({ expectedStatus, annotations }) ? 'pending' : 'skipped';
  const named = attempts.map((attempt) => (attempt.state === 'pending' ? { ...attempt, state: skipped } : attempt));
  return attemptsOf({ attempts: named, annotations, expectedStatus }, now);
}

const attemptsOf = (
  { attempts, annotations, expectedStatus }: Pick<CreateTestRecordBody, 'attempts' | 'annotations' | 'expectedStatus'>,
  now: number,
): readonly Attempt[] =>
  withErrorsOfPasses(withPlausibleStarts(attempts, now), expectsFailure(expectedStatus, annotations));

/** `sent`: the raw message, which contains the evidence. */
export const streamedTest = (body: CreateTestRecordBody, sent: unknown, now: number): ReportedTest => ({
  testId: body.testId,
  title: body.title,
  machineId: body.machineId,
  expectedStatus: body.expectedStatus,
  outcome: body._s,
  flaky: body._f,
  attempts: streamedAttempts(body, now),
  annotations: body.annotations,
  tags: body.tags,
  evidence: () => evidenceIn(sent),
});

export const uploadedInstance = ({ groupId, spec, results }: BatchInstance, now: number): ReportedInstance => ({
  groupId,
  spec,
  tests: results.tests.map(({ test, sent }) => ({
    testId: test.testId,
    title: test.title,
    expectedStatus: test.expectedStatus,
    outcome: test.state,
    flaky: test.isFlaky,
    attempts: attemptsOf(test, now),
    annotations: test.annotations,
    tags: test.tags,
    evidence: () => evidenceIn(sent),
  })),
});
