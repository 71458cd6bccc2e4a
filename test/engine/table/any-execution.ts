/** Random table items for property tests: instances with their suites and details, test records and history rows. */
import fc from 'fast-check';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { DetailsPart, InstanceDetails } from '#shared/model/results/instance-details.ts';
import type { InstanceReset } from '#shared/model/results/instance-reset.ts';
import type { SuiteKeys } from '#shared/model/results/suite-keys.ts';
import type { TestRecord } from '#shared/model/results/test-record.ts';
import type { UploadTally } from '#shared/model/results/upload-tally.ts';
import { commit, framework, ofRun, platform } from './any-run.ts';
import {
  count,
  expiring,
  expiry,
  hex,
  nullable,
  outcome,
  owner,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
  withSome,
} from './any-value.ts';

const instanceId = hex(32);
const instanceMembers = {
  ...ofRun,
  instanceId,
  groupId: text,
  spec: text,
  createdAt: time,
  expiry,
  claims: fc.array(fc.record({ key: hex(16), machineId: text, at: time }), { maxLength: 3 }),
};
const instanceLater = {
  worker: fc.record({ workerIndex: fc.integer(), parallelIndex: fc.integer() }),
  recordedAt: time,
  completedAt: time,
};
const counters = fc.record({
  overall: count,
  passes: count,
  failures: count,
  pending: count,
  skipped: count,
  flaky: count,
  retries: count,
});

export const instance: fc.Arbitrary<Instance> = withSome(
  fc.record({
    ...instanceMembers,
    reserved: count,
    expected: count,
    known: count,
    counters,
    testTags: texts,
    version: count,
    epoch: count,
  }),
  { ...instanceLater, heardAt: time, suite: hex(16), watched: fc.constant(true) },
);

const testKeys = fc.array(hex(12), { maxLength: 4 });
export const suite: fc.Arbitrary<SuiteKeys> = fc.record({
  ...owner,
  ...expiring,
  instanceId,
  suite: hex(16),
  testKeys,
  progressRows: count,
});

export const tally: fc.Arbitrary<UploadTally> = fc.record({
  ...owner,
  ...expiring,
  instanceId,
  version: count,
  testTags: texts,
  results: fc.dictionary(hex(12), fc.record({ outcome, flaky: fc.boolean(), retries: count }), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
});

export const reset: fc.Arbitrary<InstanceReset> = fc.record({
  ...owner,
  instanceId,
  epoch: count,
  resetting: fc.boolean(),
  ...expiring,
});

const annotations = fc.array(fc.record({ type: text, description: textOrNull }), { maxLength: 3 });
const location = fc.record({ file: text, line: fc.integer(), column: fc.integer() });
const attemptError = fc.record({
  message: text,
  stack: textOrNull,
  snippet: textOrNull,
  location: fc.option(location),
});
const attempts = fc.array(
  fc.record({
    attempt: count,
    state: outcome,
    rawStatus: text,
    startedAt: timeOrNull,
    duration: count,
    workerIndex: fc.integer(),
    parallelIndex: fc.integer(),
    errors: fc.array(attemptError, { maxLength: 2 }),
  }),
  { maxLength: 3 },
);

const execution = fc
  .tuple(
    fc.record({ projectId: text, groupId: text, spec: text, machineId: text, testId: text, framework: text }),
    fc.record({ title: texts, tags: texts }),
    nullable('environment', 'branch', 'sha', 'authorName', 'authorEmail', 'message'),
  )
  .map(([ids, lists, texts]) => ({ ...ids, ...lists, ...texts }));

const recordMembers = fc.record({
  ...owner,
  instanceId,
  testKey: hex(12),
  sequence: count,
  done: fc.boolean(),
  expectedStatus: text,
  reported: fc.record({ outcome, flaky: fc.boolean() }),
  attempts,
  annotations,
  testTags: texts,
  finals: count,
  expiry,
});
export const testRecord: fc.Arbitrary<TestRecord> = fc
  .tuple(execution, withSome(recordMembers, { finalAt: time }))
  .map(([known, record]) => ({ ...known, ...record }));

const rowMembers = fc.record({
  ...owner,
  signature: hex(32),
  list: fc.constantFrom('all', 'notable'),
  recordedAt: time,
  recordId: hex(44),
  outcome,
  flaky: fc.boolean(),
  expectedStatus: text,
  duration: count,
  annotations,
  hasErrors: fc.boolean(),
  ...expiring,
  attempts: fc.array(fc.tuple(outcome, timeOrNull, count), { maxLength: 3 }),
});
export const historyRow: fc.Arbitrary<HistoryRow> = fc
  .tuple(execution, rowMembers)
  .map(([known, row]) => ({ ...known, ...row }));

export const detailsPart: fc.Arbitrary<DetailsPart> = fc.record({
  ...owner,
  ...expiring,
  instanceId,
  part: fc.nat(999),
  parts: count,
  version: count,
  bytes: fc.uint8Array(),
});

const recordedTest = fc.record({
  testId: text,
  recordId: hex(44),
  title: texts,
  outcome,
  flaky: fc.boolean(),
  expectedStatus: text,
  tags: texts,
  annotations,
  attempts,
  done: fc.boolean(),
});
export const instanceDetails: fc.Arbitrary<InstanceDetails> = fc.record({
  instance: withSome(fc.record(instanceMembers), instanceLater),
  expectedTests: count,
  projectId: text,
  commit,
  framework,
  platform,
  tags: texts,
  tests: fc.array(recordedTest, { maxLength: 3 }),
});
