/** §2.3 One test of an instance with its attempts. Newer clients read `_s`, `_d` and `_f`, others the names of §2.3. */
import type * as z from 'zod';
import { attemptIdOf } from '#shared/model/ids.ts';
import { type Attempt, displayedError, spanOf, totalDuration } from '#shared/model/tests/attempt.ts';
import type { Instance } from '#shared/model/tests/instance.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import type { InstanceAttempt, InstanceTest } from './instance-wire.ts';
import { isoTimeOrNull, presentAnnotation, presentError } from './test-result.ts';
import type { AnnotationWire } from './test-result-wire.ts';

export function presentTest(
  { groupId, spec }: Pick<Instance, 'groupId' | 'spec'>,
  test: RecordedTest,
): z.infer<typeof InstanceTest> {
  const { testId, recordId, title, outcome, flaky, expectedStatus, attempts, done } = test;
  const { start, end } = spanOf(attempts);
  const error = outcome === 'failed' || flaky ? displayedError(attempts) : undefined;
  return {
    testId,
    recordId,
    groupId,
    spec,
    title: [...title],
    state: outcome,
    _s: outcome,
    _d: done,
    _f: flaky,
    isFlaky: flaky,
    expectedStatus,
    ...(error ? { displayError: error.message } : {}),
    startTime: isoTimeOrNull(start),
    endTime: isoTimeOrNull(end),
    duration: totalDuration(attempts),
    tags: [...test.tags],
    annotations: presentAnnotations(test),
    attempts: attempts.map((attempt) => presentAttempt(recordId, attempt)),
  };
}

export const presentAnnotations = ({ annotations }: RecordedTest): z.infer<typeof AnnotationWire>[] =>
  annotations.map(presentAnnotation);

function presentAttempt(recordId: string, attempt: Attempt): z.infer<typeof InstanceAttempt> {
  const errors = attempt.errors.map(presentError);
  const [error] = errors;
  const wallClockStartedAt = isoTimeOrNull(attempt.startedAt);
  return {
    attemptId: attemptIdOf(recordId, attempt.attempt),
    state: attempt.state,
    rawStatus: attempt.rawStatus,
    workerIndex: attempt.workerIndex,
    parallelIndex: attempt.parallelIndex,
    ...(error ? { error } : {}),
    errors,
    ...(wallClockStartedAt === null ? {} : { wallClockStartedAt }),
    wallClockDuration: attempt.duration,
  };
}
