/** Converts messages about a test that may still run to domain types. */
import type { ReportedTest } from '#shared/ingest/reported.ts';
import type { Attempt } from '#shared/model/results/attempt.ts';
import { parseEvidence } from '#shared/recording/evidence-wire.ts';
import { toStoredAttempts } from '#shared/recording/reported-test.ts';
import { isDeclaredSkip } from '#shared/results/outcome.ts';
import type { CreateTestRecordBody, TestMessage } from './test-wire.ts';

type SentAttempts = Pick<TestMessage, 'attempts' | 'annotations'> &
  Partial<Pick<CreateTestRecordBody, 'expectedStatus'>>;

/** Updates lack the expected status, so only annotations tell whether a test declares a skip or an expected failure. */
export const toStreamedAttempts = (
  { attempts, annotations, expectedStatus = 'passed' }: SentAttempts,
  now: number,
): readonly Attempt[] =>
  toStoredAttempts({ attempts, annotations, expectedStatus }, isDeclaredSkip({ expectedStatus, annotations }), now);

/** `message` is the raw message, which contains the evidence. */
export const toStreamedTest = (body: CreateTestRecordBody, message: unknown, now: number): ReportedTest => ({
  testId: body.testId,
  title: body.title,
  machineId: body.machineId,
  expectedStatus: body.expectedStatus,
  outcome: body.outcome,
  flaky: body.flaky,
  attempts: toStreamedAttempts(body, now),
  annotations: body.annotations,
  tags: body.tags,
  evidence: () => parseEvidence(message),
});
