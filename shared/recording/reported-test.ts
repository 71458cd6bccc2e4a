/** Converts messages of the reporters to domain types. */
import { keepPlausibleStarts } from '#shared/ingest/attempt-times.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { type Attempt, addErrorsOfPasses, expectsFailure } from '#shared/model/results/attempt.ts';
import { deriveFinalOutcome, isFlaky } from '#shared/results/flaky.ts';
import { isDeclaredSkip } from '#shared/results/outcome.ts';
import { parseEvidence } from './evidence-wire.ts';
import type { BatchTest, CreateTestRecordBody, TestMessage } from './test-wire.ts';

type AttemptsInput = Pick<CreateTestRecordBody, 'attempts' | 'annotations' | 'expectedStatus'>;

/** Updates lack the expected status, so only annotations tell whether a test declares a skip or an expected failure. */
export const toStreamedAttempts = (
  {
    attempts,
    annotations,
    expectedStatus = 'passed',
  }: Pick<TestMessage, 'attempts' | 'annotations'> & Partial<Pick<AttemptsInput, 'expectedStatus'>>,
  now: number,
): readonly Attempt[] =>
  toStoredAttempts({ attempts, annotations, expectedStatus }, isDeclaredSkip({ expectedStatus, annotations }), now);

/** §2.1 After a failed hook or test, reporters also send `pending`. Unless `mayBePending`, it becomes `skipped`. */
function toStoredAttempts(
  { attempts, annotations, expectedStatus }: AttemptsInput,
  mayBePending: boolean,
  now: number,
) {
  const correctedAttempts = keepPlausibleStarts(attempts, now).map(
    (attempt): Attempt => (attempt.state === 'pending' && !mayBePending ? { ...attempt, state: 'skipped' } : attempt),
  );
  return addErrorsOfPasses(correctedAttempts, expectsFailure(expectedStatus, annotations));
}

/** `message` is the raw message, which contains the evidence. */
export const toStreamedTest = (body: CreateTestRecordBody, message: unknown, now: number): ReportedTest => ({
  testId: body.testId,
  title: body.title,
  machineId: body.machineId,
  expectedStatus: body.expectedStatus,
  outcome: body._s,
  flaky: body._f,
  attempts: toStreamedAttempts(body, now),
  annotations: body.annotations,
  tags: body.tags,
  evidence: () => parseEvidence(message),
});

/** The finished tests of a spec file, each with its raw message, which contains the evidence. */
interface SentInstance extends Pick<ReportedInstance, 'groupId' | 'spec' | 'worker'> {
  readonly tests: readonly { readonly test: BatchTest; readonly sent: unknown }[];
}

export const toUploadedInstance = ({ groupId, spec, worker, tests }: SentInstance, now: number): ReportedInstance => ({
  groupId,
  spec,
  worker,
  tests: tests.map(({ test, sent }) => {
    const { testId, title, state, expectedStatus, annotations, tags } = test;
    const attempts = toStoredAttempts(test, state !== 'skipped', now);
    const flaky = isFlaky({ outcome: state, expectedStatus, attempts, reportedFlaky: test.isFlaky });
    const outcome = deriveFinalOutcome(state, flaky);
    return {
      testId,
      title,
      expectedStatus,
      outcome,
      flaky,
      attempts,
      annotations,
      tags,
      evidence: () => parseEvidence(sent),
    };
  }),
});
