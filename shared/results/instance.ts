/** §2.3 An instance, with what existing clients read beside it. */
import * as z from 'zod';
import { Counters, count, RecordedTestOutcome } from '../outcomes.ts';
import { type Attempt, displayedError, totalDuration } from '../resources/attempt.ts';
import { Commit } from '../resources/commit.ts';
import { attemptIdOf } from '../resources/ids.ts';
import type { InstanceDetails, RecordedTest } from '../resources/instance-details.ts';
import { InstanceFiles } from './instance-files.ts';
import { Framework, Platform } from './run-feed.ts';
import { AttemptError, isoTime, isoTimeOrNull } from './test-result.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const nullable = z.string().nullable();
const counter = z.int();

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

const InstanceTest = z
  .object({
    testId: z.string(),
    title: z.array(z.string()),
    state: RecordedTestOutcome,
    _s: RecordedTestOutcome.meta({ description: 'The same as `state`' }),
    _d: z.boolean().meta({ description: 'Whether the outcome is final' }),
    _f: z.boolean().meta({ description: 'The same as `isFlaky`' }),
    isFlaky: z.boolean(),
    expectedStatus: z.string(),
    displayError: nullable,
    duration: z.int().meta({ description: 'Milliseconds, all attempts together' }),
    tags: z.array(z.string()),
    annotations: z.array(z.object({ type: z.string(), description: nullable })),
    attempts: z.array(InstanceAttempt),
  })
  .meta({ id: 'InstanceTest' });

const InstanceStats = Counters.extend({
  tests: counter.meta({ description: 'Tests expected' }),
  wallClockStartedAt: dateTime.nullable(),
  wallClockEndedAt: dateTime.nullable(),
  wallClockDuration: z.int().nullable(),
});

export const Instance = z
  .object({
    instanceId: z.string(),
    runId: z.string(),
    groupId: z.string(),
    projectId: z.string(),
    spec: z.string(),
    machineId: z.string().meta({ description: 'Empty while no machine has taken the spec file' }),
    createdAt: dateTime,
    claimedAt: dateTime.nullable(),
    completedAt: dateTime.nullable(),
    framework: Framework,
    platform: Platform,
    commit: Commit,
    tags: z.array(z.string()),
    claimList: z.array(z.object({ machineId: z.string(), t: dateTime })),
    worker: z.object({ workerIndex: z.int(), parallelIndex: z.int() }).optional(),
    results: z.object({
      stats: InstanceStats,
      exception: nullable,
      flaky: counter,
      tests: z.array(InstanceTest),
      ...InstanceFiles.shape,
    }),
  })
  .meta({ id: 'Instance' });

export function presentInstance(
  details: InstanceDetails,
  files: z.infer<typeof InstanceFiles>,
): z.infer<typeof Instance> {
  const { instance, projectId, framework, platform, commit, tags, tests } = details;
  const [first] = instance.claims;
  return {
    instanceId: instance.instanceId,
    runId: instance.runId,
    groupId: instance.groupId,
    projectId,
    spec: instance.spec,
    machineId: first?.machineId ?? '',
    createdAt: isoTime(instance.createdAt),
    claimedAt: first ? isoTime(first.at) : null,
    completedAt: instance.completedAt === undefined ? null : isoTime(instance.completedAt),
    framework,
    platform,
    commit,
    tags: [...tags],
    claimList: instance.claims.map(({ machineId, at }) => ({ machineId, t: isoTime(at) })),
    ...(instance.worker ? { worker: instance.worker } : {}),
    results: {
      ...statsOf(details),
      exception: null,
      tests: [...tests].sort(byTitle).map(presentTest),
      ...files,
    },
  };
}

const byTitle = (one: RecordedTest, other: RecordedTest): number => {
  const [left, right] = [one.title.join(' > '), other.title.join(' > ')];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Only tests that are final are counted (§3); the clock runs from the first attempt to the end of the last. */
function statsOf({ tests, expectedTests }: InstanceDetails) {
  const final = tests.filter(({ done }) => done);
  const counters = count(final.map((test) => ({ ...test, retries: Math.max(0, test.attempts.length - 1) })));
  const spans = tests
    .flatMap(({ attempts }) => attempts)
    .flatMap(({ startedAt, duration }) => (startedAt === null ? [] : [[startedAt, startedAt + duration] as const]));
  const start = spans.length === 0 ? null : Math.min(...spans.map(([from]) => from));
  const end = spans.length === 0 ? null : Math.max(...spans.map(([, to]) => to));
  const stats = {
    ...counters,
    tests: expectedTests,
    wallClockStartedAt: isoTimeOrNull(start),
    wallClockEndedAt: isoTimeOrNull(end),
    wallClockDuration: start === null || end === null ? null : end - start,
  };
  return { stats, flaky: counters.flaky };
}

function presentTest(test: RecordedTest): z.infer<typeof InstanceTest> {
  const { testId, title, outcome, flaky, expectedStatus, annotations, attempts, done } = test;
  const error = outcome === 'failed' || flaky ? displayedError(attempts) : undefined;
  return {
    testId,
    title: [...title],
    state: outcome,
    _s: outcome,
    _d: done,
    _f: flaky,
    isFlaky: flaky,
    expectedStatus,
    displayError: error?.message ?? null,
    duration: totalDuration(attempts),
    tags: [...test.tags],
    annotations: annotations.map(({ type, description }) => ({ type, description })),
    attempts: attempts.map((attempt) => presentAttempt(test.recordId, attempt)),
  };
}

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
