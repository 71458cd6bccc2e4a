/** §2.3 An instance, with additional members that existing clients read. */
import type * as z from 'zod';
import { specSignatureOf } from '#shared/model/ids.ts';
import { retriesOf, spanOf } from '#shared/model/tests/attempt.ts';
import type { InstanceDetails, RecordedTest } from '#shared/model/tests/instance-details.ts';
import { countTests } from '#shared/model/tests/outcomes.ts';
import type { InstanceFiles } from './files-wire.ts';
import { presentAnnotations, presentTest } from './instance-test.ts';
import type { InstanceQueryOutput, InstanceWire } from './instance-wire.ts';
import { isoTime, isoTimeOrNull } from './test-result.ts';

/** The tests of one page, sorted by title. Without a limit, all tests are on page 0. */
export function testsOn({ tests }: InstanceDetails, { limit, page }: InstanceQueryOutput): RecordedTest[] {
  const sorted = [...tests].sort(byTitle);
  return limit === undefined
    ? sorted.slice(page === 0 ? 0 : sorted.length)
    : sorted.slice(page * limit, (page + 1) * limit);
}

/** Presents an instance. Counters include the whole instance. `tests` are those of the page. */
export function presentInstance(
  details: InstanceDetails,
  tests: readonly RecordedTest[],
  files: z.infer<typeof InstanceFiles>,
): z.infer<typeof InstanceWire> {
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
  const left = one.title.join(' > ');
  const right = other.title.join(' > ');
  return left < right ? -1 : left > right ? 1 : 0;
};

/** §3 Counts final tests only. The duration is the time from the first attempt to the end of the last. */
function statsOf({ tests, expectedTests }: InstanceDetails) {
  const final = tests.filter(({ done }) => done);
  const counters = countTests(final.map((test) => ({ ...test, retries: retriesOf(test.attempts) })));
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
