/** Converts finished tests of a message to domain types. */
import { keepPlausibleStarts } from '#shared/ingest/attempt-times.ts';
import type { ReportedInstance } from '#shared/ingest/reported.ts';
import { type Attempt, addErrorsOfPasses, expectsFailure } from '#shared/model/results/attempt.ts';
import { deriveFinalOutcome, isFlaky } from '#shared/results/executions/flaky.ts';
import { parseEvidence } from './evidence-wire.ts';
import type { FinishedTest } from './test-wire.ts';

/** §2.1 After a failed hook or test, reporters also send `pending`. Unless `mayBePending`, it becomes `skipped`. */
export function toStoredAttempts(
  { attempts, annotations, expectedStatus }: Pick<FinishedTest, 'attempts' | 'annotations' | 'expectedStatus'>,
  mayBePending: boolean,
  now: number,
) {
  const correctedAttempts = keepPlausibleStarts(attempts, now).map(
    (attempt): Attempt => (attempt.state === 'pending' && !mayBePending ? { ...attempt, state: 'skipped' } : attempt),
  );
  return addErrorsOfPasses(correctedAttempts, expectsFailure(expectedStatus, annotations));
}

/** The finished tests of a spec file, each with its raw message, which contains the evidence. */
interface SentInstance extends Pick<ReportedInstance, 'groupId' | 'spec' | 'worker'> {
  readonly hasMore?: boolean | null | undefined;
  readonly tests: readonly { readonly test: FinishedTest; readonly sent: unknown }[];
}

export const toUploadedInstance = (
  { groupId, spec, worker, tests, hasMore }: SentInstance,
  now: number,
): ReportedInstance => ({
  groupId,
  spec,
  worker,
  hasMore: hasMore === true,
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
