/** Converts messages of the reporters to domain types. */
import { withPlausibleStarts } from '#shared/ingest/attempt-times.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { type Attempt, addErrorsOfPasses, expectsFailure } from '#shared/model/tests/attempt.ts';
import { finalOutcome, isFlaky } from '#shared/results/flaky.ts';
import { isDeclaredSkip } from '#shared/results/outcome.ts';
import { evidenceIn } from './evidence-wire.ts';
import type { BatchTest, CreateTestRecordBody, TestMessage } from './test-wire.ts';

type Sent = Pick<CreateTestRecordBody, 'attempts' | 'annotations' | 'expectedStatus'>;

/**
 * Converts the attempts of a streamed message. Updates do not repeat the expected status of the test, so for updates
 * only the annotations tell whether the test declares a skip or an expected failure.
 */
export const streamedAttempts = (
  {
    attempts,
    annotations,
    expectedStatus = 'passed',
  }: Pick<TestMessage, 'attempts' | 'annotations'> & Partial<Pick<Sent, 'expectedStatus'>>,
  now: number,
): readonly Attempt[] =>
  attemptsOf({ attempts, annotations, expectedStatus }, isDeclaredSkip({ expectedStatus, annotations }), now);

/**
 * §2.1 The reporter also sends `pending` for attempts that could not run because a hook or an earlier test failed.
 * Unless `mayBePending` is set, attempts that are `pending` become `skipped`.
 */
function attemptsOf({ attempts, annotations, expectedStatus }: Sent, mayBePending: boolean, now: number) {
  const named = withPlausibleStarts(attempts, now).map(
    (attempt): Attempt => (attempt.state === 'pending' && !mayBePending ? { ...attempt, state: 'skipped' } : attempt),
  );
  return addErrorsOfPasses(named, expectsFailure(expectedStatus, annotations));
}

/** Converts a streamed message to a reported test. `sent` is the raw message, which contains the evidence. */
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

/** The finished tests of a spec file, each with its raw message, which contains the evidence. */
interface SentInstance extends Pick<ReportedInstance, 'groupId' | 'spec' | 'worker'> {
  readonly tests: readonly { readonly test: BatchTest; readonly sent: unknown }[];
}

export const uploadedInstance = ({ groupId, spec, worker, tests }: SentInstance, now: number): ReportedInstance => ({
  groupId,
  spec,
  worker,
  tests: tests.map(({ test, sent }) => {
    const { testId, title, state, expectedStatus, annotations, tags } = test;
    const attempts = attemptsOf(test, state !== 'skipped', now);
    const flaky = isFlaky({ outcome: state, expectedStatus, attempts, reportedFlaky: test.isFlaky });
    const outcome = finalOutcome(state, flaky);
    return {
      testId,
      title,
      expectedStatus,
      outcome,
      flaky,
      attempts,
      annotations,
      tags,
      evidence: () => evidenceIn(sent),
    };
  }),
});
