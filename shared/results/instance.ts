/** §2.3 An instance, with additional members that existing clients read. */
import * as z from 'zod';
import { spanOf } from '#shared/model/attempt.ts';
import { Commit } from '#shared/model/commit.ts';
import { specSignatureOf } from '#shared/model/ids.ts';
import type { InstanceDetails, RecordedTest } from '#shared/model/instance-details.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { Counters, count } from '#shared/model/outcomes.ts';
import { InstanceFiles } from './instance-files.ts';
import { InstanceTest, presentAnnotations, presentTest } from './instance-test.ts';
import { Framework, Platform } from './run-feed.ts';
import { Annotation, isoTime, isoTimeOrNull } from './test-result.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const counter = z.int();

/** The tests of an instance may exceed one answer. They can then be read in pages. */
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
    .meta({ description: 'Zero-based, of tests sorted by title' }),
});
type InstancePage = z.output<typeof InstanceQuery>;

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
    orgId: z.string(),
    spec: z.string(),
    signature: z.string().meta({ description: 'Of the spec file' }),
    schemaVersion: z.literal(2),
    machineId: z.string().meta({ description: 'Empty while no machine has claimed the spec file' }),
    createdAt: dateTime,
    claimedAt: dateTime.optional().meta({ description: 'Absent while no machine has claimed the spec file' }),
    completedAt: dateTime.optional().meta({ description: 'Absent while a test has not reported' }),
    framework: Framework,
    platform: Platform,
    commit: Commit,
    tags: z.array(z.string()),
    claimList: z.array(z.object({ machineId: z.string(), t: dateTime })),
    worker: z.object({ workerIndex: z.int(), parallelIndex: z.int() }).optional(),
    testTags: z.record(z.string(), z.array(z.string())).meta({ description: 'By test id' }),
    testAnnotations: z.record(z.string(), z.array(Annotation)).meta({ description: 'By test id' }),
    results: z.object({
      stats: InstanceStats,
      exception: z.string().optional().meta({ description: 'Always absent, because no reporter sends one' }),
      flaky: counter,
      tests: z.array(InstanceTest),
      ...InstanceFiles.shape,
    }),
  })
  .meta({ id: 'Instance' });

/** The tests of one page, sorted by title. Without a limit, all tests are on page 0. */
export function testsOn({ tests }: InstanceDetails, { limit, page }: InstancePage): RecordedTest[] {
  const sorted = [...tests].sort(byTitle);
  return limit === undefined
    ? sorted.slice(page === 0 ? 0 : sorted.length)
    : sorted.slice(page * limit, (page + 1) * limit);
}

/** Counters include the whole instance. `tests` are those of the page. */
export function presentInstance(
  details: InstanceDetails,
  tests: readonly RecordedTest[],
  files: z.infer<typeof InstanceFiles>,
): z.infer<typeof Instance> {
  const { instance, projectId, framework, platform, commit, tags } = details;
  const [first] = instance.claims;
  return {
    instanceId: instance.instanceId,
    runId: instance.runId,
    groupId: instance.groupId,
    projectId,
    orgId: instance.organizationId,
    spec: instance.spec,
    signature: specSignatureOf({ ...instance, projectId }),
    schemaVersion: 2,
    machineId: first?.machineId ?? '',
    createdAt: isoTime(instance.createdAt),
    ...(first ? { claimedAt: isoTime(first.at) } : {}),
    ...(instance.completedAt === undefined ? {} : { completedAt: isoTime(instance.completedAt) }),
    framework,
    platform,
    commit,
    tags: [...tags],
    claimList: instance.claims.map(({ machineId, at }) => ({ machineId, t: isoTime(at) })),
    ...(instance.worker ? { worker: instance.worker } : {}),
    testTags: Object.fromEntries(tests.map((test) => [test.testId, [...test.tags]])),
    testAnnotations: Object.fromEntries(tests.map((test) => [test.testId, presentAnnotations(test)])),
    results: {
      ...statsOf(details),
      tests: tests.map((test) => presentTest(instance, test)),
      ...files,
    },
  };
}

const byTitle = (one: RecordedTest, other: RecordedTest): number => {
  const [left, right] = [one.title.join(' > '), other.title.join(' > ')];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** §3 Counts final tests only. The duration is the time from the first attempt to the end of the last. */
function statsOf({ tests, expectedTests }: InstanceDetails) {
  const final = tests.filter(({ done }) => done);
  const counters = count(final.map((test) => ({ ...test, retries: Math.max(0, test.attempts.length - 1) })));
  const { start, end } = spanOf(tests.flatMap(({ attempts }) => attempts));
  const stats = {
    ...counters,
    tests: expectedTests,
    wallClockStartedAt: isoTimeOrNull(start),
    wallClockEndedAt: isoTimeOrNull(end),
    wallClockDuration: start === null || end === null ? null : end - start,
  };
  return { stats, flaky: counters.flaky };
}
