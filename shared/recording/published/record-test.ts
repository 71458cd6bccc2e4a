/**
 * Records messages about a test. The first message creates the record, and later messages replace its attempts. The
 * message with the highest sequence number counts, no matter in which order the messages arrive.
 */
import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { tooManyTests } from '#shared/ingest/errors.ts';
import { findParents, type Parents } from '#shared/ingest/execution-of.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { buildTestRecord } from '#shared/ingest/record-of.ts';
import type { ReportedTest } from '#shared/ingest/reported.ts';
import {
  deriveFurtherInstance,
  getSourceMark,
  isOnlySource,
  isRecordOfOther,
  isTakenFromMachine,
  isUploadOfOther,
  makeMachineSource,
  type Source,
} from '#shared/ingest/sources.ts';
import { findSteadyParents } from '#shared/ingest/steady-parents.ts';
import { addRecord, changeRecord } from '#shared/ingest/write-record.ts';
import { runCancelled } from '#shared/lifecycle/errors.ts';
import { finishTest } from '#shared/lifecycle/finish-test.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
import { isTooLateToReopen } from '#shared/lifecycle/refuse-ended.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { deriveRecordId, deriveTestKey, splitRecordId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Evidence } from '#shared/model/results/evidence.ts';
import { appendClaim, countKnownTests, isComplete, makeInstance } from '#shared/model/results/instance.ts';
import {
  isStub,
  type RecordKey,
  type TestRecord,
  type TestState,
  testRecords,
} from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { parseEvidence } from '#shared/recording/evidence-wire.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import type { Services } from '#shared/services.ts';
import { toStreamedAttempts, toStreamedTest } from './streamed-test.ts';
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
  if (await storeFirstMessage(services, { organizationId, body, sent }))
    return { recordId: deriveRecordId({ instanceId, testId }) };
  const parents = await findParents(services, { organizationId, instanceId }, body.groupId);
  if (!parents) throw notFound('Instance');
  refuseContradictions(body, parents.instance);
  await noteOrigin(services, parents.run, undefined);
  const test = toStreamedTest(body, sent, services.now());
  refuseNewTest(parents.run, body, test);
  const place = (await isUploadedByOther(services, parents, body))
    ? await openFurtherInstance(services, parents, body)
    : parents;
  const isStored = await storeMessage(services, place, { body, test });
  // The record of another source stays. A message without a machine id may be of any source.
  if (!isStored) await storeMessage(services, await openFurtherInstance(services, parents, body), { body, test });
  const { instanceId: storedInstanceId } = isStored ? place.instance : locateFurtherInstance(parents, body);
  return { recordId: deriveRecordId({ instanceId: storedInstanceId, testId }) };
}

/**
 * Stores the first message about a test of an open spec file, to which nothing special has happened. Returns false, and
 * stores nothing, in any other case, and if the test is known.
 */
async function storeFirstMessage(services: Services, { organizationId, body, sent }: Creation): Promise<boolean> {
  const parents = await findSteadyParents(services, { organizationId, instanceId: body.instanceId }, body);
  if (!parents) return false;
  refuseContradictions(body, parents.instance);
  const test = toStreamedTest(body, sent, services.now());
  const record = buildTestRecord(parents, test, makeProgress(services, body, countKnownTests(parents.instance)));
  const outcome = await addRecord(services, record);
  if (outcome.done && record.done) await finishTest(services, outcome.item, test.evidence);
  return outcome.done;
}

/** Stores the message in the instance. Returns false, and stores nothing, if another source reported the test there. */
async function storeMessage(
  services: Services,
  parents: Parents,
  { body, test }: { readonly body: CreateTestRecordBody; readonly test: ReportedTest },
): Promise<boolean> {
  const record = makeRecord(services, parents, test, body);
  await refuseTooManyTests(services, parents, record);
  const outcome = await addRecord(services, record);
  if (outcome.done) {
    if (record.done) await finishTest(services, outcome.item, test.evidence);
    return true;
  }
  const source = toSource(body);
  const { item } = outcome;
  const { instance } = parents;
  const isOther = instance.source === undefined && source && item && isRecordOfOther(item, source);
  if (isOther && !isTakenFromMachine(item, instance)) return false;
  await applyMessage(services, record, { state: toTestState(body, services.now()), evidence: test.evidence });
  return true;
}

const toSource = ({ machineId }: CreateTestRecordBody): Source | undefined =>
  machineId == null ? undefined : makeMachineSource(machineId);

/** Whether another source uploaded the test. Costs a read only if one has uploaded results of the spec file. */
async function isUploadedByOther(
  { table }: Services,
  { instance }: Parents,
  body: CreateTestRecordBody,
): Promise<boolean> {
  const source = toSource(body);
  if (!source || instance.recordedAt === undefined || isOnlySource(instance, source)) return false;
  const tally = await table.get(uploadTallies, instance, { consistent: true });
  return isUploadOfOther(tally?.results[deriveTestKey(body.testId)], getSourceMark(instance, source));
}

function locateFurtherInstance({ run, instance }: Parents, body: CreateTestRecordBody) {
  const source = toSource(body) ?? refuse(notFound('Instance'));
  return deriveFurtherInstance({ runId: run.runId, groupId: instance.groupId, spec: instance.spec }, source);
}

/** For tests of this machine that other sources reported first. While one of its tests runs, the run stays open. */
async function openFurtherInstance(services: Services, parents: Parents, body: CreateTestRecordBody): Promise<Parents> {
  const { key, machineId } = toSource(body) ?? refuse(notFound('Instance'));
  const run = await reopenForNewTest(services, parents, body);
  const { instance } = parents;
  const { organizationId, runId, groupId, spec, expiry } = instance;
  const at = services.now();
  const instanceFields = {
    organizationId,
    runId,
    groupId,
    spec,
    expiry,
    createdAt: at,
    ...locateFurtherInstance(parents, body),
  };
  const claims = appendClaim([], { key, machineId, at });
  const row = { ...makeInstance(instanceFields), claims, heardAt: at, watched: true };
  return { ...parents, run, instance: await openInstance(services, run, row) };
}

/** A test that begins after the end of its run reopens the run. A repeated message does not. */
async function reopenForNewTest(services: Services, parents: Parents, body: CreateTestRecordBody): Promise<Run> {
  const { run, instance } = parents;
  if (isUnderWay(run) || run.completionState === 'CANCELED' || isTooLateToReopen(run, services.now())) return run;
  const key = {
    organizationId: instance.organizationId,
    ...locateFurtherInstance(parents, body),
    testKey: deriveTestKey(body.testId),
  };
  const storedRecord = await services.table.get(testRecords, key, { consistent: true });
  return storedRecord ? run : reopenRun(services, run, { lingers: true });
}

const makeProgress = ({ now }: Services, { sequence, done }: TestMessage, expectedTests: number) => ({
  sequence,
  done,
  finals: done ? 1 : 0,
  expectedTests,
  ...(done ? { finalAt: now() } : { heardAt: now() }),
});

function makeRecord(services: Services, parents: Parents, test: ReportedTest, message: TestMessage): TestRecord {
  const { run, instance } = parents;
  return buildTestRecord(parents, test, {
    ...makeProgress(services, message, countKnownTests(instance)),
    further: instance.source !== undefined,
    // If the instance is complete or unclaimed, or the run has ended, no other test would trigger the check whether the
    // instance is complete. A further instance completes and opens again while its source runs tests.
    watched: isComplete(instance) || instance.claims.length === 0 || !isUnderWay(run) || instance.source !== undefined,
  });
}

/** §3 In a cancelled run, tests that started before the cancellation or have already ended may still report. */
function refuseNewTest(
  { completionState, cancellation }: Run,
  { done }: Pick<TestMessage, 'done'>,
  { attempts }: Pick<ReportedTest, 'attempts'>,
): void {
  if (completionState !== 'CANCELED' || done) return;
  const startedAt = attempts[0]?.startedAt ?? Number.POSITIVE_INFINITY;
  if (startedAt > (cancellation?.canceledAt ?? 0)) throw runCancelled();
}

/** Only a test that is not in the suite can exceed the limit of its spec file. */
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
    { state: toTestState(body, services.now()), evidence: () => parseEvidence(sent) },
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

const toTestState = (body: TestMessage, now: number): TestState => ({
  sequence: body.sequence,
  done: body.done,
  reported: { outcome: body.outcome, flaky: body.flaky },
  attempts: toStreamedAttempts(body, now),
  annotations: body.annotations,
  testTags: body.tags,
});
