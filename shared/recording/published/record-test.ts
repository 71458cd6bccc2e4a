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
import { isRecordOfOther, isTakenFromMachine } from '#shared/ingest/sources.ts';
import { findSteadyParents } from '#shared/ingest/steady-parents.ts';
import { addRecord, changeRecord } from '#shared/ingest/write-record.ts';
import { runCancelled } from '#shared/lifecycle/errors.ts';
import { finishTest } from '#shared/lifecycle/finish-test.ts';
import { deriveRecordId, splitRecordId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Evidence } from '#shared/model/results/evidence.ts';
import { countKnownTests, isComplete } from '#shared/model/results/instance.ts';
import { isStub, type RecordKey, type TestRecord, type TestState } from '#shared/model/results/test-record.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { parseEvidence } from '#shared/recording/evidence-wire.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import type { Services } from '#shared/services.ts';
import { isUploadedByOther, locateFurtherInstance, openFurtherInstance, toSource } from './further-instance.ts';
import { toStreamedAttempts, toStreamedTest } from './streamed-test.ts';
import type { CreateTestRecordBody, TestMessage, TestRecordAnswer, UpdateTestRecordBody } from './test-wire.ts';

interface Creation {
  readonly organizationId: string;
  readonly body: CreateTestRecordBody;
  /** The raw message, which contains the evidence. */
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

interface Update {
  readonly organizationId: string;
  readonly recordId: string;
  readonly body: UpdateTestRecordBody;
  /** The raw message, which contains the evidence. */
  readonly sent: unknown;
}

export async function updateTestRecord(
  services: Services,
  { organizationId, recordId, body, sent }: Update,
): Promise<void> {
  const ids = splitRecordId(recordId) ?? refuse(notFound('Test record'));
  refuseContradictions(body, ids);
  const message = { state: toTestState(body, services.now()), evidence: () => parseEvidence(sent) };
  await applyMessage(services, { organizationId, ...ids }, message);
}

async function applyMessage(
  services: Services,
  key: RecordKey,
  { state, evidence }: { state: TestState; evidence: () => Evidence },
): Promise<void> {
  const { done, item } = await changeRecord(services, key, state);
  if (!done && (!item || isStub(item.record))) throw notFound('Test record');
  if (done && state.done) await finishTest(services, item.record, evidence, item);
}

const toTestState = (body: TestMessage, now: number): TestState => ({
  sequence: body.sequence,
  done: body.done,
  reported: { outcome: body.outcome, flaky: body.flaky },
  attempts: toStreamedAttempts(body, now),
  annotations: body.annotations,
  testTags: body.tags,
});
