/** §2.3 The wire shape of an instance, with additional members that existing clients read. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { AttemptFacts } from '#shared/model/results/attempt.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import { Commit } from '#shared/model/runs/commit.ts';
import { AnnotationWire, AttemptErrorWire } from '../executions/test-result-wire.ts';
import { FrameworkWire, PlatformWire, TestCounts, WorkerWire } from '../runs/run-wire.ts';
import { InstanceFiles } from './files-wire.ts';

/** Members of an attempt that are shown as they are stored. */
const attemptFacts = { workerIndex: z.int(), parallelIndex: z.int() } satisfies Record<keyof AttemptFacts, z.ZodType>;

export const InstanceAttempt = z
  .object({
    attemptId: z.string(),
    state: RecordedTestOutcome,
    rawStatus: z.string().meta({ description: 'The status of the test runner, such as `timedOut`' }),
    ...attemptFacts,
    error: AttemptErrorWire.optional(),
    errors: z.array(AttemptErrorWire),
    wallClockStartedAt: dateTime.optional(),
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
    displayError: z.string().optional(),
    startTime: dateTime.nullable(),
    endTime: dateTime.nullable(),
    duration: z.int().meta({ description: 'Duration of all attempts together, in milliseconds' }),
    tags: z.array(z.string()),
    annotations: z.array(AnnotationWire),
    attempts: z.array(InstanceAttempt),
  })
  .meta({ id: 'InstanceTest' });

/** The tests of an instance may exceed the size of one response, so they can be read in pages. */
export const InstanceQuery = z.object({
  limit: z
    .int()
    .min(1)
    .max(MODEL_LIMITS.testsPerSpec)
    .optional()
    .meta({ description: 'Tests per page, with their files, tags and annotations. Default: all of them' }),
  page: z
    .int()
    .min(0)
    .max(MODEL_LIMITS.testsPerSpec)
    .default(0)
    .meta({ description: 'Page number, counted from 0. Tests are sorted by title' }),
});

export type InstanceQueryOutput = z.output<typeof InstanceQuery>;

const InstanceStats = TestCounts.extend({
  wallClockStartedAt: dateTime.nullable(),
  wallClockEndedAt: dateTime.nullable(),
  wallClockDuration: z.int().nullable(),
});

export const InstanceWire = z
  .object({
    instanceId: z.string(),
    runId: z.string(),
    groupId: z.string(),
    projectId: z.string(),
    orgId: z.string(),
    spec: z.string(),
    signature: z.string().meta({ description: 'Signature of the spec file' }),
    schemaVersion: z.literal(2),
    machineId: z.string().meta({ description: 'Empty while no machine has claimed the spec file' }),
    createdAt: dateTime,
    claimedAt: dateTime.optional().meta({ description: 'Absent while no machine has claimed the spec file' }),
    completedAt: dateTime.optional().meta({ description: 'Absent until every expected test has a final result' }),
    framework: FrameworkWire,
    platform: PlatformWire,
    commit: Commit,
    tags: z.array(z.string()),
    claimList: z.array(z.object({ machineId: z.string(), t: dateTime })),
    worker: WorkerWire.optional(),
    testTags: z.record(z.string(), z.array(z.string())).meta({ description: 'By test id' }),
    testAnnotations: z.record(z.string(), z.array(AnnotationWire)).meta({ description: 'By test id' }),
    results: z.object({
      stats: InstanceStats,
      exception: z.string().optional().meta({ description: 'Always absent, because no reporter sends one' }),
      flaky: z.int(),
      tests: z.array(InstanceTest),
      ...InstanceFiles.shape,
    }),
  })
  .meta({ id: 'Instance' });
