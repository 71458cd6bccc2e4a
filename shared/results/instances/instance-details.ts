/** Builds the details of an instance from its stored rows. */

import { deriveRecordId } from '#shared/model/ids.ts';
import { countKnownTests, type Instance } from '#shared/model/results/instance.ts';
import type { InstanceDetails, RecordedTest } from '#shared/model/results/instance-details.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { deriveOutcome, isStreamedTestFlaky, resolveExpectedStatus } from '../outcome.ts';

export function toRecordedTest(record: TestRecord): RecordedTest {
  const { testId, title, tags, testTags, annotations, attempts, done } = record;
  return {
    testId,
    recordId: deriveRecordId(record),
    title,
    outcome: deriveOutcome(record),
    flaky: isStreamedTestFlaky(record),
    expectedStatus: resolveExpectedStatus(record),
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

export function buildInstanceDetails({ run, group, instance, tests }: Parts): InstanceDetails {
  const {
    counters,
    epoch,
    expected,
    expiry,
    hasMore,
    heardAt,
    known,
    reserved,
    suite,
    testTags,
    version,
    watched,
    ...rest
  } = instance;
  return {
    instance: rest,
    expectedTests: countKnownTests(instance),
    projectId: run.projectId,
    commit: run.commit,
    framework: run.framework,
    platform: group?.platform ?? { osName: null, osVersion: null, browserName: null, browserVersion: null },
    tags: mergeTags(run.tags, group?.tags ?? []),
    tests,
  };
}
