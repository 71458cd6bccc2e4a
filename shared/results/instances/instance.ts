/** §2.3 An instance, with additional members that existing clients read. */
import type * as z from 'zod';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { composeAttemptId, deriveSpecSignature } from '#shared/model/ids.ts';
import {
  type Attempt,
  computeTimeSpan,
  countRetries,
  findDisplayedError,
  pickFacts,
  sumDurations,
} from '#shared/model/results/attempt.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { InstanceDetails, RecordedTest } from '#shared/model/results/instance-details.ts';
import { countTests } from '#shared/model/results/outcomes.ts';
import { compareTexts } from '../contains.ts';
import { presentAnnotation, presentError, toIsoTimeOrNull } from '../executions/test-result.ts';
import type { InstanceFiles } from './files-wire.ts';
import type { InstanceAttempt, InstanceQueryOutput, InstanceTest, InstanceWire } from './instance-wire.ts';

/** The tests of one page, sorted by title. Without a limit, all tests are on page 0. */
export function listPageTests({ tests }: InstanceDetails, { limit, page }: InstanceQueryOutput): RecordedTest[] {
  const sortedTests = tests.toSorted((one, other) => compareTexts(one.title.join(' > '), other.title.join(' > ')));
  if (limit === undefined) return page === 0 ? sortedTests : [];
  return sortedTests.slice(page * limit, (page + 1) * limit);
}

/** Presents an instance. Its counters cover all its tests, even if `tests` contains only one page of them. */
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
    signature: deriveSpecSignature({ ...instance, projectId }),
    schemaVersion: 2,
    machineId: first?.machineId ?? '',
    createdAt: formatIsoTime(instance.createdAt),
    claimedAt: first && formatIsoTime(first.at),
    completedAt: instance.completedAt === undefined ? undefined : formatIsoTime(instance.completedAt),
    framework,
    platform,
    commit,
    tags: [...tags],
    claimList: instance.claims.map(({ machineId, at }) => ({ machineId, t: formatIsoTime(at) })),
    worker: instance.worker,
    testTags: Object.fromEntries(tests.map((test) => [test.testId, [...test.tags]])),
    testAnnotations: Object.fromEntries(
      tests.map(({ testId, annotations }) => [testId, annotations.map(presentAnnotation)]),
    ),
    results: {
      ...computeStats(details),
      tests: tests.map((test) => presentTest(instance, test)),
      ...files,
    },
  };
}

/** §3 Only tests with a final result count, but `tests` counts all expected ones. The duration spans all attempts. */
function computeStats({ tests, expectedTests }: InstanceDetails) {
  const finalTests = tests.filter(({ done }) => done);
  const counters = countTests(finalTests.map((test) => ({ ...test, retries: countRetries(test.attempts) })));
  const { start, end } = computeTimeSpan(tests.flatMap(({ attempts }) => attempts));
  const stats = {
    ...counters,
    tests: expectedTests,
    wallClockStartedAt: toIsoTimeOrNull(start),
    wallClockEndedAt: toIsoTimeOrNull(end),
    wallClockDuration: start === null || end === null ? null : end - start,
  };
  return { stats, flaky: counters.flaky };
}

/** §2.3 Newer clients read the members `_s`, `_d` and `_f`. Other clients read `state` and `isFlaky`. */
function presentTest(
  { groupId, spec }: Pick<Instance, 'groupId' | 'spec'>,
  test: RecordedTest,
): z.infer<typeof InstanceTest> {
  const { testId, recordId, title, outcome, flaky, expectedStatus, attempts, done } = test;
  const { start, end } = computeTimeSpan(attempts);
  const error = outcome === 'failed' || flaky ? findDisplayedError(attempts) : undefined;
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
    displayError: error?.message,
    startTime: toIsoTimeOrNull(start),
    endTime: toIsoTimeOrNull(end),
    duration: sumDurations(attempts),
    tags: [...test.tags],
    annotations: test.annotations.map(presentAnnotation),
    attempts: attempts.map((attempt) => presentAttempt(recordId, attempt)),
  };
}

function presentAttempt(recordId: string, attempt: Attempt): z.infer<typeof InstanceAttempt> {
  const errors = attempt.errors.map(presentError);
  return {
    attemptId: composeAttemptId(recordId, attempt.attempt),
    state: attempt.state,
    rawStatus: attempt.rawStatus,
    ...pickFacts(attempt),
    error: errors[0],
    errors,
    wallClockStartedAt: toIsoTimeOrNull(attempt.startedAt) ?? undefined,
    wallClockDuration: attempt.duration,
  };
}
