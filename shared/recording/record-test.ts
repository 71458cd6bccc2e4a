/**
 * Records messages about a test. The first one creates the record, later ones replace its attempts. The highest
 * sequence number wins, whatever the order of arrival.
 */
import type * as z from 'zod';
import { notFound, refuse, runCancelled, tooManyTests } from '#shared/engine/errors.ts';
import { type Condition, setting } from '#shared/engine/table/update.ts';
import { executionOf, findParents, type Parents } from '#shared/ingest/execution-of.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { isUnderWay } from '#shared/lifecycle/states.ts';
import { partsOfRecord, recordIdOf, testKeyOf } from '#shared/model/ids.ts';
import { isComplete, testsOf } from '#shared/model/instance.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Run } from '#shared/model/run.ts';
import {
  changesOf,
  isStub,
  type RecordKey,
  type TestRecord,
  type TestState,
  testRecords,
} from '#shared/model/test-record.ts';
import type { Services } from '#shared/services.ts';
import { finishTest } from './finish-test.ts';
import { refuseContradictions } from './sent-ids.ts';
import type { CreateTestRecordBody, TestMessage, TestRecordAnswer, UpdateTestRecordBody } from './test-wire.ts';

interface Creation {
  readonly organizationId: string;
  readonly body: CreateTestRecordBody;
  readonly sent: unknown;
}

const IS_UNKNOWN: Condition = { absent: 'sequence' };
const IS_KNOWN: Condition = { present: 'sequence' };

/** The first message about a test. If the record exists, the message is an update. */
export async function createTestRecord(
  services: Services,
  { organizationId, body, sent }: Creation,
): Promise<z.input<typeof TestRecordAnswer>> {
  const { instanceId, testId } = body;
  const parents = await findParents(services, { organizationId, instanceId }, body.groupId);
  if (!parents) throw notFound('Instance');
  refuseContradictions(body, parents.instance);
  refuseNewTest(parents.run, body);
  const record = recordOf(services, { organizationId, body, sent }, parents);
  await refuseTooManyTests(services, parents, record);
  // An update, because the row may already have the `watched` mark.
  const set = setting(testRecords.store(record));
  const outcome = await services.table.update(testRecords, record, { set }, IS_UNKNOWN);
  if (!outcome.done) await applyMessage(services, record, { state: stateOf(body), sent });
  else if (record.done) await finishTest(services, outcome.item, sent);
  return { recordId: recordIdOf({ instanceId, testId }) };
}

function recordOf({ now }: Services, { organizationId, body }: Creation, parents: Parents): TestRecord {
  const { run, instance } = parents;
  return {
    ...executionOf(parents, body),
    ...stateOf(body),
    organizationId,
    instanceId: body.instanceId,
    testKey: testKeyOf(body.testId),
    expectedStatus: body.expectedStatus,
    finals: body._d ? 1 : 0,
    expectedTests: testsOf(instance),
    expiry: run.expiry,
    // No other test will cause a review for these instances.
    ...(isComplete(instance) || instance.claims.length === 0 || !isUnderWay(run) ? { watched: true } : {}),
    ...(body._d ? { finalAt: now() } : { heardAt: now() }),
  };
}

/** §3 After a cancellation, tests in progress may end. New tests are refused. */
function refuseNewTest(
  { completionState, cancellation }: Run,
  { _d, attempts }: Pick<CreateTestRecordBody, '_d' | 'attempts'>,
): void {
  if (completionState !== 'CANCELED' || _d) return;
  const startedAt = attempts[0]?.startedAt ?? Number.POSITIVE_INFINITY;
  if (startedAt > (cancellation?.canceledAt ?? 0)) throw runCancelled();
}

/** Only a test outside the suite can exceed the limit. */
async function refuseTooManyTests(services: Services, { instance }: Parents, record: TestRecord): Promise<void> {
  if (testsOf(instance) < MODEL_LIMITS.testsPerSpec) return;
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
  const parts = partsOfRecord(recordId) ?? refuse(notFound('Test record'));
  refuseContradictions(body, parts);
  await applyMessage(services, { organizationId, ...parts }, { state: stateOf(body), sent });
}

/**
 * Ignores older messages. A message with the same number is a re-delivery and completes the work of an interrupted one.
 * A final test stays final: later messages that are not final are ignored.
 */
async function applyMessage(
  services: Services,
  key: RecordKey,
  { state, sent }: { state: TestState; sent: unknown },
): Promise<void> {
  const { table, now } = services;
  const changes = {
    set: [...changesOf(state), ...(state.done ? [] : [['heardAt', now()] as const])],
    setIfAbsent: state.done ? [['finalAt', now()] as const] : [],
    add: state.done ? [['finals', 1] as const] : [],
    remove: ['uploaded'],
  };
  const isNews: Condition = { path: 'sequence', atMost: state.sequence };
  const isOpen: Condition[] = state.done ? [] : [{ path: 'done', equals: false }];
  const outcome = await table.update(testRecords, key, changes, { all: [IS_KNOWN, isNews, ...isOpen] });
  if (!outcome.done && (!outcome.existing || isStub(outcome.existing))) throw notFound('Test record');
  if (outcome.done && state.done) await finishTest(services, outcome.item, sent);
}

const stateOf = (body: TestMessage): TestState => ({
  sequence: body._t,
  done: body._d,
  reported: { outcome: body._s, flaky: body._f },
  attempts: body.attempts,
  annotations: body.annotations,
  testTags: body.tags,
});
