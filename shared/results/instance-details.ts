/** From stored rows to everything that is known of one instance. */

import type { Group } from '../resources/group.ts';
import { recordIdOf } from '../resources/ids.ts';
import type { Instance } from '../resources/instance.ts';
import type { InstanceDetails, RecordedTest } from '../resources/instance-details.ts';
import type { Run } from '../resources/run.ts';
import type { TestRecord } from '../resources/test-record.ts';
import { mergeTags } from '../tags.ts';
import { expectedStatusOf, streamedOutcome } from './outcome.ts';

const NO_PLATFORM = { osName: null, osVersion: null, browserName: null, browserVersion: null };

export function recordedTest(record: TestRecord): RecordedTest {
  const { testId, title, tags, testTags, annotations, attempts, done } = record;
  return {
    testId,
    recordId: recordIdOf(record),
    title,
    outcome: streamedOutcome(record),
    flaky: record.reported.flaky,
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
  const { results, version, testTags, heardAt, ...rest } = instance;
  return {
    instance: rest,
    expectedTests: Object.keys(results).length,
    projectId: run.projectId,
    commit: run.commit,
    framework: run.framework,
    platform: group?.platform ?? NO_PLATFORM,
    tags: mergeTags(run.tags, group?.tags ?? []),
    tests,
  };
}
