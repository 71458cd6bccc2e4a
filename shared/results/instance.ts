/** §2.3 An instance, with what existing clients read beside it. */
import * as z from 'zod';
import { Counters, count } from '../outcomes.ts';
import { spanOf } from '../resources/attempt.ts';
import { Commit } from '../resources/commit.ts';
import { specSignatureOf } from '../resources/ids.ts';
import type { InstanceDetails, RecordedTest } from '../resources/instance-details.ts';
import { InstanceFiles } from './instance-files.ts';
import { Annotation, InstanceTest, presentAnnotations, presentTest } from './instance-test.ts';
import { Framework, Platform } from './run-feed.ts';
import { isoTime, isoTimeOrNull } from './test-result.ts';

const dateTime = z.string().meta({ format: 'date-time' });
const nullable = z.string().nullable();
const counter = z.int();

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
    testTags: z.record(z.string(), z.array(z.string())).meta({ description: 'By test id' }),
    testAnnotations: z.record(z.string(), z.array(Annotation)).meta({ description: 'By test id' }),
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
    orgId: instance.organizationId,
    spec: instance.spec,
    signature: specSignatureOf({ ...instance, projectId }),
    schemaVersion: 2,
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
    testTags: Object.fromEntries(tests.map((test) => [test.testId, [...test.tags]])),
    testAnnotations: Object.fromEntries(tests.map((test) => [test.testId, presentAnnotations(test)])),
    results: {
      ...statsOf(details),
      exception: null,
      tests: [...tests].sort(byTitle).map((test) => presentTest(instance, test)),
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
