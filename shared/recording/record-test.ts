/**
 * Records messages about a test. The first message creates the record, and later messages replace its attempts. The
 * message with the highest sequence number counts, no matter in which order the messages arrive.
 */
import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { tooManyTests } from '#shared/ingest/errors.ts';
import { findParents, type Parents } from '#shared/ingest/execution-of.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { recordOf } from '#shared/ingest/record-of.ts';
import type { ReportedTest } from '#shared/ingest/reported.ts';
import {
  furtherInstanceOf,
  isOnlySource,
  isRecordOfOther,
  isTakenFrom,
  isUploadOfOther,
  machineSource,
  markOfSource,
  type Source,
} from '#shared/ingest/sources.ts';
import { addRecord, changeRecord } from '#shared/ingest/write-record.ts';
import { runCancelled } from '#shared/lifecycle/errors.ts';
import { finishTest } from '#shared/lifecycle/finish-test.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
import { isTooLate } from '#shared/lifecycle/refuse-ended.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { deriveRecordId, deriveTestKey, splitRecordId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import type { Evidence } from '#shared/model/tests/evidence.ts';
import { appendClaim, countKnownTests, isComplete, makeInstance } from '#shared/model/tests/instance.ts';
import {
  isStub,
  type RecordKey,
  type TestRecord,
  type TestState,
  testRecords,
} from '#shared/model/tests/test-record.ts';
import { uploadTallies } from '#shared/model/tests/upload-tally.ts';
import type { Services } from '#shared/services.ts';
import { evidenceIn } from './evidence-wire.ts';
import { streamedAttempts, streamedTest } from './reported-test.ts';
import { refuseContradictions } from './sent-ids.ts';
import type { CreateTestRecordBody, TestMessage, TestRecordAnswer, UpdateTestRecordBody } from './test-wire.ts';

interface Creation {
  readonly organizationId: string;
  readonly body: CreateTestRecordBody;
  readonly sent: unknown;
}

/** Handles the first message about a test. If a record of the test already exists, the message updates it. */
export async function createTestRecord(
  services: Services,
  { organizationId, body, sent }: Creation,
): Promise<z.input<typeof TestRecordAnswer>> {
  const { instanceId, testId } = body;
  const parents = await findParents(services, { organizationId, instanceId }, body.groupId);
  if (!parents) throw notFound('Instance');
  refuseContradictions(body, parents.instance);
  const test = streamedTest(body, sent, services.now());
  refuseNewTest(parents.run, body, test);
  const place = (await isUploadedByOther(services, parents, body))
    ? await furtherPlace(services, parents, body)
    : parents;
  const isStored = await store(services, place, { body, test });
  // The record of another source stays. A message without a machine id may be of any source.
  if (!isStored) await store(services, await furtherPlace(services, parents, body), { body, test });
  const { instanceId: placed } = isStored ? place.instance : furtherOf(parents, body);
  return { recordId: deriveRecordId({ instanceId: placed, testId }) };
}

/** Stores the message in the instance. Returns false, and stores nothing, if another source reported the test there. */
async function store(
  services: Services,
  parents: Parents,
  { body, test }: { readonly body: CreateTestRecordBody; readonly test: ReportedTest },
): Promise<boolean> {
  const record = newRecord(services, parents, test, body);
  await refuseTooManyTests(services, parents, record);
  const outcome = await addRecord(services, record);
  if (outcome.done) {
    if (record.done) await finishTest(services, outcome.item, test.evidence);
    return true;
  }
  const source = sourceOf(body);
  const { item } = outcome;
  const { instance } = parents;
  const isOther = instance.source === undefined && source && item && isRecordOfOther(item, source);
  if (isOther && !isTakenFrom(item, instance)) return false;
  await applyMessage(services, record, { state: stateOf(body, services.now()), evidence: test.evidence });
  return true;
}

const sourceOf = ({ machineId }: CreateTestRecordBody): Source | undefined =>
  machineId == null ? undefined : machineSource(machineId);

/** Whether another source uploaded the test. Costs a read only if one has uploaded results of the spec file. */
async function isUploadedByOther(
  { table }: Services,
  { instance }: Parents,
  body: CreateTestRecordBody,
): Promise<boolean> {
  const source = sourceOf(body);
  if (!source || instance.recordedAt === undefined || isOnlySource(instance, source)) return false;
  const tally = await table.get(uploadTallies, instance, { consistent: true });
  return isUploadOfOther(tally?.results[deriveTestKey(body.testId)], markOfSource(instance, source));
}

function furtherOf({ run, instance }: Parents, body: CreateTestRecordBody) {
  const source = sourceOf(body) ?? refuse(notFound('Instance'));
  return furtherInstanceOf({ runId: run.runId, groupId: instance.groupId, spec: instance.spec }, source);
}

/**
 * The further instance of the spec file for tests of this machine that other sources reported first. While one of its
 * tests runs, the run stays open.
 */
async function furtherPlace(services: Services, parents: Parents, body: CreateTestRecordBody): Promise<Parents> {
  const { key, machineId } = sourceOf(body) ?? refuse(notFound('Instance'));
  const run = await stillOpen(services, parents, body);
  const { instance } = parents;
  const { organizationId, runId, groupId, spec, expiry } = instance;
  const at = services.now();
  const own = { organizationId, runId, groupId, spec, expiry, createdAt: at, ...furtherOf(parents, body) };
  const claims = appendClaim([], { key, machineId, at });
  const row = { ...makeInstance(own), claims, heardAt: at, watched: true };
  return { ...parents, run, instance: await openInstance(services, run, row) };
}

/** A test that begins after the end of its run reopens the run. A repeated message does not. */
async function stillOpen(services: Services, parents: Parents, body: CreateTestRecordBody): Promise<Run> {
  const { run, instance } = parents;
  if (isUnderWay(run) || run.completionState === 'CANCELED' || isTooLate(run, services.now())) return run;
  const key = {
    organizationId: instance.organizationId,
    ...furtherOf(parents, body),
    testKey: deriveTestKey(body.testId),
  };
  const known = await services.table.get(testRecords, key, { consistent: true });
  return known ? run : reopenRun(services, run, { lingers: true });
}

function newRecord({ now }: Services, parents: Parents, test: ReportedTest, { _t, _d }: TestMessage): TestRecord {
  const { run, instance } = parents;
  return recordOf(parents, test, {
    sequence: _t,
    done: _d,
    finals: _d ? 1 : 0,
    expectedTests: countKnownTests(instance),
    further: instance.source !== undefined,
    // If the instance is complete or unclaimed, or the run has ended, no other test would trigger the check whether the
    // instance is complete. A further instance completes and opens again while its source runs tests.
    watched: isComplete(instance) || instance.claims.length === 0 || !isUnderWay(run) || instance.source !== undefined,
    ...(_d ? { finalAt: now() } : { heardAt: now() }),
  });
}

/**
 * §3 Refuses new tests in a cancelled run. Tests that started before the cancellation, and tests that have already
 * ended, may still report.
 */
function refuseNewTest(
  { completionState, cancellation }: Run,
  { _d }: Pick<CreateTestRecordBody, '_d'>,
  { attempts }: Pick<ReportedTest, 'attempts'>,
): void {
  if (completionState !== 'CANCELED' || _d) return;
  const startedAt = attempts[0]?.startedAt ?? Number.POSITIVE_INFINITY;
  if (startedAt > (cancellation?.canceledAt ?? 0)) throw runCancelled();
}

/**
 * Refuses a test if its spec file already has the maximum number of tests. Only a test that is not in the suite can
 * exceed this limit.
 */
async function refuseTooManyTests(services: Services, { instance }: Parents, record: TestRecord): Promise<void> {
  if (countKnownTests(instance) < MODEL_LIMITS.testsPerSpec) return;
  const { expected, reported, records, known } = await loadResults(services, instance, { consistent: true });
  const isKnown =
    expected.includes(record.testKey) ||
    reported.has(record.testKey) ||
    records.some(({ testKey }) => testKey === record.testKey);
  if (!isKnown && known >= MODEL_LIMITS.testsPerSpec) throw tooManyTests(MODEL_LIMITS.testsPerSpec);
}

export async function updateTestRecord(
  services: Services,
  {
    organizationId,
    recordId,
    body,
    sent,
  }: { organizationId: string; recordId: string; body: UpdateTestRecordBody; sent: unknown },
): Promise<void> {
  const parts = splitRecordId(recordId) ?? refuse(notFound('Test record'));
  refuseContradictions(body, parts);
  await applyMessage(
    services,
    { organizationId, ...parts },
    { state: stateOf(body, services.now()), evidence: () => evidenceIn(sent) },
  );
}

async function applyMessage(
  services: Services,
  key: RecordKey,
  { state, evidence }: { state: TestState; evidence: () => Evidence },
): Promise<void> {
  const outcome = await changeRecord(services, key, state);
  if (!outcome.done && (!outcome.item || isStub(outcome.item))) throw notFound('Test record');
  if (outcome.done && state.done) await finishTest(services, outcome.item, evidence);
}

const stateOf = (body: TestMessage, now: number): TestState => ({
  sequence: body._t,
  done: body._d,
  reported: { outcome: body._s, flaky: body._f },
  attempts: streamedAttempts(body, now),
  annotations: body.annotations,
  testTags: body.tags,
});
