/** §2.3 One test of an instance, with its attempts. Newer clients read `_s`, `_d` and `_f`, others the names of the specification. */
import * as z from 'zod';
import { RecordedTestOutcome } from '../outcomes.ts';
import { type Attempt, displayedError, spanOf, totalDuration } from '../resources/attempt.ts';
import { attemptIdOf } from '../resources/ids.ts';
import type { Instance } from '../resources/instance.ts';
import type { RecordedTest } from '../resources/instance-details.ts';
import { AttemptError, isoTimeOrNull } from './test-result.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const nullable = z.string().nullable();

export const Annotation = z.object({ type: z.string(), description: nullable });

const InstanceAttempt = z
  .object({
    attemptId: z.string(),
    state: RecordedTestOutcome,
    rawStatus: z.string().meta({ description: "The runner's own word, such as `timedOut`" }),
    workerIndex: z.int(),
    parallelIndex: z.int(),
    error: AttemptError.nullable(),
    errors: z.array(AttemptError),
    wallClockStartedAt: dateTime.nullable(),
    wallClockDuration: z.int().meta({ description: 'Milliseconds' }),
  })
  .meta({ id: 'InstanceAttempt' });

export const InstanceTest = z
  .object({
    testId: z.string(),
    recordId: z.string(),
    groupId: z.string(),
    spec: z.string(),
    title: z.array(z.string()),
    state: RecordedTestOutcome,
    _s: RecordedTestOutcome.meta({ description: 'The same as `state`' }),
    _d: z.boolean().meta({ description: 'Whether the outcome is final' }),
    _f: z.boolean().meta({ description: 'The same as `isFlaky`' }),
    isFlaky: z.boolean(),
    expectedStatus: z.string(),
    displayError: nullable,
    startTime: dateTime.nullable(),
    endTime: dateTime.nullable(),
    duration: z.int().meta({ description: 'Milliseconds, all attempts together' }),
    tags: z.array(z.string()),
    annotations: z.array(Annotation),
    attempts: z.array(InstanceAttempt),
  })
  .meta({ id: 'InstanceTest' });

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
    displayError: error?.message ?? null,
    startTime: isoTimeOrNull(start),
    endTime: isoTimeOrNull(end),
    duration: totalDuration(attempts),
    tags: [...test.tags],
    annotations: presentAnnotations(test),
    attempts: attempts.map((attempt) => presentAttempt(recordId, attempt)),
  };
}

export const presentAnnotations = ({ annotations }: RecordedTest): z.infer<typeof Annotation>[] =>
  annotations.map(({ type, description }) => ({ type, description }));

const presentAttempt = (recordId: string, attempt: Attempt): z.infer<typeof InstanceAttempt> => ({
  attemptId: attemptIdOf(recordId, attempt.attempt),
  state: attempt.state,
  rawStatus: attempt.rawStatus,
  workerIndex: attempt.workerIndex,
  parallelIndex: attempt.parallelIndex,
  error: attempt.errors[0] ?? null,
  errors: [...attempt.errors],
  wallClockStartedAt: isoTimeOrNull(attempt.startedAt),
  wallClockDuration: attempt.duration,
});
