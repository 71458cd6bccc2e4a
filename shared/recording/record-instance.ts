/** One finished instance of a batch upload: counters, history, errors and details. Sent again, it rewrites the same rows. */

import { noteFailedTest } from '../lifecycle/fail-run.ts';
import { optimistically } from '../optimistic.ts';
import { isFailure, isNotable, leavesEvidence } from '../outcomes.ts';
import { displayedError, totalDuration } from '../resources/attempt.ts';
import { groups } from '../resources/group.ts';
import { type HistoryRow, history } from '../resources/history-row.ts';
import { instanceIdOf, recordIdOf, signatureOf, testKeyOf } from '../resources/ids.ts';
import { encodeResult, type Instance, instances, isComplete, withTags } from '../resources/instance.ts';
import type { RecordedTest } from '../resources/instance-details.ts';
import type { Run } from '../resources/run.ts';
import { testRecords } from '../resources/test-record.ts';
import { loadInstance } from '../results/load-instance.ts';
import { retriesOf } from '../results/outcome.ts';
import type { Services } from '../services.ts';
import { ABSENT, type Delete, type Put, put, remove } from '../table/writes.ts';
import { mergeTags } from '../tags.ts';
import { endOf, startOf } from './attempt-times.ts';
import type { BatchInstance } from './batch-wire.ts';
import { countInstance, storeDetails } from './complete-instance.ts';
import { evidenceIn } from './evidence-wire.ts';
import { executionOf, type Parents } from './execution-of.ts';
import { evidencePuts, noteFailures, withoutEvidence } from './keep-evidence.ts';
import type { BatchTest } from './test-wire.ts';

interface Upload {
  readonly run: Run;
  readonly sent: BatchInstance;
  readonly machineId: string;
  readonly requestKey: string;
}

export async function recordInstance(services: Services, { run, sent, machineId, requestKey }: Upload): Promise<void> {
  const { tests: reported } = sent.results;
  const tests = reported.map(({ test }) => test);
  const instance = await storeResults(services, run, sent, {
    key: requestKey,
    machineId,
    at: startOf(tests) ?? run.createdAt,
  });
  const group = await services.table.get(groups, instance);
  const parents = { run, group, instance };
  await services.table.writeMany(
    reported.flatMap(({ test, sent }) => [...rowsOf(parents, test), ...evidenceOf(parents, test, sent)]),
  );
  if (instance.version > 1 || tests.some(({ state, isFlaky }) => isFailure(state) || isFlaky)) {
    await noteFailures(services, instance);
  }
  if (tests.some(({ state }) => isFailure(state))) await noteFailedTest(services, run);
  const recorded = tests.map((test) => recordedTest(parents, test));
  const all = await withEarlier(services, instance, recorded);
  if (!isComplete(instance)) return storeDetails(services, { ...parents, tests: all });
  // Uploads may come days after the tests, whose own times tell how long they took.
  const now = services.now();
  const completedAt = instance.completedAt ?? Math.min(endOf(all) ?? now, now);
  await storeDetails(services, { ...parents, instance: { ...instance, completedAt }, tests: all });
  await countInstance(services, instance, completedAt);
}

/** The instance with these results added to those it has, and the time at which they were first recorded. */
async function storeResults(
  { table, now }: Services,
  run: Run,
  sent: BatchInstance,
  claim: Instance['claims'][number],
): Promise<Instance> {
  const { organizationId, runId } = run;
  const { groupId, spec } = sent;
  const key = { organizationId, runId, instanceId: instanceIdOf({ runId, groupId, spec }) };
  let known = await table.get(instances, key, { consistent: true });
  const reported = sent.results.tests.map(
    ({ test }) => [testKeyOf(test.testId), encodeResult(countedOf(test), 0)] as const,
  );
  const tags = sent.results.tests.flatMap(({ test }) => test.tags);
  await optimistically('results of an instance', async () => {
    const at = known?.recordedAt ?? now();
    const base: Instance = known ?? {
      ...key,
      groupId,
      spec,
      createdAt: at,
      claims: [],
      results: {},
      testTags: {},
      version: 0,
    };
    const results = { ...base.results, ...Object.fromEntries(reported) };
    const row = {
      ...base,
      results,
      recordedAt: at,
      heardAt: now(),
      testTags: withTags(base.testTags, tags),
      claims: base.claims.some(({ key: known }) => known === claim.key) ? base.claims : [...base.claims, claim],
      version: base.version + 1,
    };
    const outcome = await table.put(instances, row, known ? { path: 'version', equals: base.version } : ABSENT);
    known = outcome.done ? outcome.item : outcome.existing;
    return outcome.done;
  });
  if (!known) throw new Error(`The instance ${key.instanceId} that was just written does not exist`);
  return known;
}

const countedOf = ({ state, isFlaky, attempts }: BatchTest) => ({
  outcome: state,
  flaky: isFlaky,
  retries: retriesOf(attempts),
});

/** History, its copy where somebody will look for failures, and the record where there are errors to keep. */
function rowsOf(parents: Parents, test: BatchTest): (Put | Delete)[] {
  const { organizationId, instanceId, recordedAt = 0, version } = parents.instance;
  const execution = executionOf(parents, test);
  const { testId, attempts, annotations, expectedStatus } = test;
  const row: HistoryRow = {
    ...execution,
    organizationId,
    tags: mergeTags(execution.tags, test.tags),
    signature: signatureOf({ organizationId, ...execution }),
    list: 'all',
    recordedAt,
    recordId: recordIdOf({ instanceId, testId }),
    outcome: test.state,
    flaky: test.isFlaky,
    expectedStatus,
    annotations,
    duration: totalDuration(attempts),
    attempts: attempts.map(({ state, startedAt, duration }) => [state, startedAt, duration] as const),
    hasErrors: displayedError(attempts) !== undefined,
  };
  const record = {
    ...execution,
    organizationId,
    instanceId,
    testKey: testKeyOf(testId),
    expectedStatus,
    sequence: 0,
    done: true,
    reported: { outcome: test.state, flaky: test.isFlaky },
    attempts,
    annotations,
    testTags: test.tags,
    finalAt: recordedAt,
    finals: 1,
  };
  const copy = { ...row, list: 'notable' } as const;
  const keepsRecord = row.hasErrors || leavesEvidence(row);
  // An earlier upload may have named a failure, with rows that are no longer true.
  const outdated = (deleted: Delete) => (version > 1 ? [deleted] : []);
  return [
    put(history, row),
    ...(isNotable(row) ? [put(history, copy)] : outdated(remove(history, copy))),
    ...(keepsRecord ? [put(testRecords, record)] : outdated(remove(testRecords, record))),
  ];
}

function evidenceOf({ instance }: Parents, test: BatchTest, sent: unknown): (Put | Delete)[] {
  const { organizationId, instanceId, version } = instance;
  const key = { organizationId, instanceId, testKey: testKeyOf(test.testId) };
  if (leavesEvidence(countedOf(test))) return evidencePuts(key, evidenceIn(sent), version);
  return version > 1 ? [withoutEvidence(key)] : [];
}

function recordedTest(parents: Parents, test: BatchTest): RecordedTest {
  const { testId, title, state, isFlaky, expectedStatus, annotations, attempts } = test;
  const { tags } = executionOf(parents, test);
  return {
    testId,
    recordId: recordIdOf({ instanceId: parents.instance.instanceId, testId }),
    title,
    outcome: state,
    flaky: isFlaky,
    expectedStatus,
    tags: mergeTags(tags, test.tags),
    annotations,
    attempts,
    done: true,
  };
}

/** A spec file may arrive in two deliveries with different tests; the later keeps those of the earlier. */
async function withEarlier(
  services: Services,
  instance: Instance,
  tests: readonly RecordedTest[],
): Promise<readonly RecordedTest[]> {
  const reported = Object.values(instance.results).filter((result) => result !== '').length;
  if (reported <= tests.length) return tests;
  const earlier = (await loadInstance(services, instance))?.details.tests ?? [];
  const now = new Set(tests.map(({ testId }) => testId));
  return [...earlier.filter(({ testId }) => !now.has(testId)), ...tests];
}
