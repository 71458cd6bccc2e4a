/** Builds the details of an instance from its stored rows. */

import type { Group } from '#shared/model/group.ts';
import { recordIdOf } from '#shared/model/ids.ts';
import { type Instance, testsOf } from '#shared/model/instance.ts';
import type { InstanceDetails, RecordedTest } from '#shared/model/instance-details.ts';
import type { Run } from '#shared/model/run.ts';
import { mergeTags } from '#shared/model/tags.ts';
import type { TestRecord } from '#shared/model/test-record.ts';
import { expectedStatusOf, streamedFlaky, streamedOutcome } from './outcome.ts';

const NO_PLATFORM = { osName: null, osVersion: null, browserName: null, browserVersion: null };

export function recordedTest(record: TestRecord): RecordedTest {
  const { testId, title, tags, testTags, annotations, attempts, done } = record;
  return {
    testId,
    recordId: recordIdOf(record),
    title,
    outcome: streamedOutcome(record),
    flaky: streamedFlaky(record),
    expectedStatus: expectedStatusOf(record),
    tags: mergeTags(tags, testTags),
    annotations,
    attempts,
    done,
  };
}

interface Parts {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly instance: Instance;
  readonly tests: readonly RecordedTest[];
}

export function detailsOf({ run, group, instance, tests }: Parts): InstanceDetails {
  const { counters, epoch, expected, expiry, heardAt, known, reserved, suite, testTags, version, watched, ...rest } =
    instance;
  return {
    instance: rest,
    expectedTests: testsOf(instance),
    projectId: run.projectId,
    commit: run.commit,
    framework: run.framework,
    platform: group?.platform ?? NO_PLATFORM,
    tags: mergeTags(run.tags, group?.tags ?? []),
    tests,
  };
}
