/**
 * Stores the results of one finished spec file of a batch upload: its history, errors and evidence, and the results
 * from which its counters are derived. Idempotent: a repeated upload rewrites the same rows.
 */

import { optimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, type Delete, type Put, put, remove } from '#shared/engine/table/writes.ts';
import { instanceIdOf, recordIdOf, testKeyOf } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { mergeTags } from '#shared/model/runs/tags.ts';
import { displayedError, retriesOf } from '#shared/model/tests/attempt.ts';
import { evidenceParts } from '#shared/model/tests/evidence.ts';
import { failures, MARKS, type Mark, markedOfInstance, markOf } from '#shared/model/tests/failures.ts';
import {
  type Claim,
  type Instance,
  type InstanceKey,
  instances,
  newInstance,
  tagsToCount,
  withClaim,
} from '#shared/model/tests/instance.ts';
import type { RecordedTest } from '#shared/model/tests/instance-details.ts';
import { type CountedTest, leavesEvidence } from '#shared/model/tests/outcomes.ts';
import { isRuleRow, type KeptRow, type TestRecord, testRecords } from '#shared/model/tests/test-record.ts';
import { uploadTallies } from '#shared/model/tests/upload-tally.ts';
import { isFlaky } from '#shared/results/flaky.ts';
import type { CoreServices } from '#shared/services.ts';
import { startOfTests } from './attempt-times.ts';
import { tooManyTests } from './errors.ts';
import { executionOf, findParents, type Parents } from './execution-of.ts';
import { distinctTags, loadResults } from './instance-results.ts';
import { recordOf } from './record-of.ts';
import { historyOfRecords } from './remove-instance.ts';
import type { ReportedInstance, ReportedTest } from './reported.ts';
import { outdatedRows, resultRows } from './result-rows.ts';

/**
 * Earlier uploads or messages may have added the uploaded tests to the list of failures. Returns deletions of the
 * entries that do not match the new results.
 */
async function outdatedFailures(
  { table }: Pick<CoreServices, 'table'>,
  instance: InstanceKey,
  marks: ReadonlyMap<string, Mark | undefined>,
): Promise<Delete[]> {
  const known = await Promise.all(
    MARKS.map((mark) => table.queryAll(failures, markedOfInstance(instance, mark), { consistent: true })),
  );
  const outdated = known.flat().filter(({ testKey, mark }) => marks.has(testKey) && marks.get(testKey) !== mark);
  return outdated.map((failure) => remove(failures, failure));
}

export interface Upload {
  readonly run: Run;
  readonly instance: ReportedInstance;
  readonly machineId: string;
  readonly requestKey: string;
}

interface Stored {
  readonly key: InstanceKey;
  readonly parents: Parents;
  readonly tests: readonly RecordedTest[];
}

export async function storeUpload(
  services: CoreServices,
  { run, instance: { groupId, spec, worker, tests }, machineId, requestKey }: Upload,
): Promise<Stored> {
  const { organizationId, runId } = run;
  const instanceId = instanceIdOf({ runId, groupId, spec });
  const key = { organizationId, runId, instanceId, groupId, spec, expiry: run.expiry };
  const before = await addToTally(services, key, {
    results: Object.fromEntries(tests.map((test) => [testKeyOf(test.testId), countedOf(test)])),
    testTags: tests.flatMap(({ tags }) => tagsToCount(tags)),
  });
  const at = startOfTests(tests, services.now()) ?? run.createdAt;
  const parents = await claimedParents(services, key, { claim: { key: requestKey, machineId, at }, worker });
  const reportedBefore = tests.filter(({ testId }) => before.reported.has(testKeyOf(testId)));
  await services.table.writeMany([
    ...streamedHistory(parents, before),
    ...(reportedBefore.length === 0 ? [] : await outdatedFailures(services, key, marksOf(reportedBefore))),
    ...tests.flatMap((test) => rowsOf(parents, before, test)),
  ]);
  return { key, parents, tests: tests.map((test) => recordedTest(parents, test)) };
}

const countedOf = (test: ReportedTest): CountedTest => ({
  outcome: test.outcome,
  flaky: isFlaky({ ...test, reportedFlaky: test.flaky }),
  retries: retriesOf(test.attempts),
});

/**
 * Deletes the history rows of streamed tests that the upload replaces. A test may have only one history row per run,
 * and the upload does not overwrite these rows, because their keys contain a different time.
 */
const streamedHistory = ({ instance }: Parents, { records }: InstanceBefore): Delete[] =>
  historyOfRecords(
    instance.organizationId,
    records.filter(({ finalAt }) => finalAt !== instance.recordedAt),
  );

const marksOf = (tests: readonly ReportedTest[]) =>
  new Map(tests.map((test) => [testKeyOf(test.testId), markOf(countedOf(test))] as const));

const LEFT_BY_EARLIER: readonly KeptRow[] = ['copy', 'evidence'];

const leftByEarlier = ({ records }: InstanceBefore, { testKey }: Pick<TestRecord, 'testKey'>): KeptRow[] => {
  const { kept = [] } = records.find((record) => record.testKey === testKey) ?? {};
  return [...LEFT_BY_EARLIER, ...kept.filter((kind) => kind === 'quarantined' || isRuleRow(kind))];
};

/** The rows of one test. A test record is stored only if the test has errors or evidence, or if rules affected it. */
function rowsOf(parents: Parents, before: InstanceBefore, test: ReportedTest): (Put | Delete)[] {
  const counted = { ...countedOf(test), expectedStatus: test.expectedStatus };
  const { recordedAt = 0 } = parents.instance;
  const record = recordOf(parents, test, { sequence: 0, done: true, finalAt: recordedAt, finals: 1, uploaded: true });
  const rows = resultRows({ record, counted, evidence: test.evidence });
  // Earlier uploads or messages may have left rows that this upload makes outdated. `outdatedFailures` handles those in
  // the list of failures.
  const wasFinal = before.reported.has(record.testKey);
  const outdated = wasFinal ? leftByEarlier(before, record).filter((kind) => !rows.kept.includes(kind)) : [];
  // The record lists the rows of matched rules, so that a later upload can find them.
  const isMarked = rows.kept.some(isRuleRow);
  const keepsRecord = isMarked || displayedError(test.attempts) !== undefined || leavesEvidence(counted);
  const hasRow = wasFinal || before.stubs.includes(record.testKey);
  return [
    ...rows.puts,
    ...rows.moreEvidence.map((part) => put(evidenceParts, part)),
    ...(keepsRecord ? [put(testRecords, { ...record, kept: rows.kept })] : hasRow ? [remove(testRecords, record)] : []),
    ...outdatedRows(record, rows.history, outdated),
  ];
}

function recordedTest(parents: Parents, test: ReportedTest): RecordedTest {
  const { testId, title, outcome, expectedStatus, annotations, attempts } = test;
  const { tags } = executionOf(parents, test);
  return {
    testId,
    recordId: recordIdOf({ instanceId: parents.instance.instanceId, testId }),
    title,
    outcome,
    flaky: countedOf(test).flaky,
    expectedStatus,
    tags: mergeTags(tags, test.tags),
    annotations,
    attempts,
    done: true,
  };
}

// Adds the results of a batch upload to an instance.

type Key = Pick<Instance, 'organizationId' | 'runId' | 'instanceId' | 'groupId' | 'spec' | 'expiry'>;

/** The results of an upload that are needed for the counters of the instance. */
interface Brought {
  /** The results by the `testKey` of the test. */
  readonly results: Readonly<Record<string, CountedTest>>;
  readonly testTags: readonly string[];
}

/** The state of the instance before the upload. `records` holds the streamed tests that the upload replaces. */
interface InstanceBefore {
  /** The test keys of the tests that had a result. Only they may have rows that the upload makes outdated. */
  readonly reported: ReadonlySet<string>;
  /** Tests whose row has only the `watched` mark, because no reporter has sent a message about them yet. */
  readonly stubs: readonly string[];
  readonly records: readonly TestRecord[];
}

async function addToTally(services: CoreServices, key: Key, brought: Brought): Promise<InstanceBefore> {
  const { table } = services;
  let before: InstanceBefore = { reported: new Set(), stubs: [], records: [] };
  await optimistically('uploaded results of an instance', async () => {
    const { tally, records, stubs, expected, reported } = await loadResults(services, key, { consistent: true });
    const replaced = records.filter(({ testKey }) => brought.results[testKey] !== undefined);
    const all = new Set([...expected, ...reported.keys(), ...Object.keys(brought.results)]);
    if (all.size > MODEL_LIMITS.testsPerSpec) throw tooManyTests(MODEL_LIMITS.testsPerSpec);
    const known = [...Object.keys(tally?.results ?? {}), ...records.map(({ testKey }) => testKey)];
    before = { reported: new Set(known), stubs, records: replaced };
    const version = (tally?.version ?? 0) + 1 + replaced.reduce((sum, { finals }) => sum + finals, 0);
    const results = { ...tally?.results, ...brought.results };
    const testTags = distinctTags([...(tally?.testTags ?? []), ...brought.testTags]);
    const when = tally ? { path: 'version', equals: tally.version } : ABSENT;
    const { organizationId, instanceId, expiry } = key;
    const row = { organizationId, instanceId, version, results, testTags, expiresAt: expiry.results };
    const { done } = await table.put(uploadTallies, row, when);
    return done;
  });
  return before;
}

interface Claiming {
  readonly claim: Claim;
  readonly worker: ReportedInstance['worker'];
}

/** Claims the instance, and returns it with its run and group. One read is enough if the instance already exists. */
async function claimedParents(services: CoreServices, key: Key, claiming: Claiming): Promise<Parents> {
  const known = await findParents(services, key, key.groupId);
  const instance = await claimForUpload(services, key, claiming, known?.instance);
  const parents = known ? { ...known, instance } : await findParents(services, key, key.groupId);
  if (!parents) throw new Error(`The instance ${key.instanceId} was just written, but it does not exist`);
  return parents;
}

/**
 * Adds the claim of the upload to the instance. The first upload also sets `recordedAt`, the time of its results in the
 * history.
 */
async function claimForUpload(
  { table, now }: CoreServices,
  key: Key,
  { claim, worker }: Claiming,
  before: Instance | undefined,
): Promise<Instance> {
  let known = before;
  const at = now();
  if (!known) {
    const row = {
      ...newInstance({ ...key, createdAt: at }),
      claims: withClaim([], claim),
      recordedAt: at,
      heardAt: at,
      ...(worker ? { worker } : {}),
    };
    const created = await table.put(instances, row, ABSENT);
    if (created.done) return row;
    known = created.existing;
  }
  await optimistically('claims of an instance', async () => {
    if (!known) return true;
    const changes = {
      set: [
        ['claims', withClaim(known.claims, claim)],
        ['heardAt', now()],
      ] as const,
      setIfAbsent: [['recordedAt', now()] as const, ...(worker ? [['worker', worker] as const] : [])],
    };
    const outcome = await table.update(instances, key, changes, { path: 'claims', equals: known.claims });
    known = outcome.done ? outcome.item : outcome.existing;
    return outcome.done;
  });
  if (!known) throw new Error(`The instance ${key.instanceId} was deleted while its results were being uploaded`);
  return known;
}
