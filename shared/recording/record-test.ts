/**
 * Messages about one test: the first names it, later ones replace what is known of its attempts. The newest by sequence
 * number counts, however often and in whatever order they come.
 */
import * as z from 'zod';
import { notFound, refuse } from '../errors.ts';
import { partsOfRecord, recordIdOf, testKeyOf } from '../resources/ids.ts';
import { changesOf, type TestRecord, type TestState, testRecords } from '../resources/test-record.ts';
import type { Services } from '../services.ts';
import { ABSENT } from '../table/writes.ts';
import { executionOf, parentsOf, refuseNewTest } from './execution-of.ts';
import { finishTest } from './finish-test.ts';
import type { CreateTestRecordBody, TestMessage } from './test-wire.ts';

export const TestRecordAnswer = z.object({ recordId: z.string() });

/** The first message about a test. Where the test is known already, it is one more update. */
export async function createTestRecord(
  services: Services,
  { organizationId, body, sent }: { organizationId: string; body: CreateTestRecordBody; sent: unknown },
): Promise<z.input<typeof TestRecordAnswer>> {
  const { instanceId, testId } = body;
  const parents = await parentsOf(services, organizationId, instanceId);
  refuseNewTest(parents.run, body);
  const record: TestRecord = {
    ...executionOf(parents, body),
    ...stateOf(body),
    organizationId,
    instanceId,
    testKey: testKeyOf(testId),
    expectedStatus: body.expectedStatus,
    finals: body._d ? 1 : 0,
    ...(body._d ? { finalAt: services.now() } : { heardAt: services.now() }),
  };
  const { done } = await services.table.put(testRecords, record, ABSENT);
  if (!done) await applyMessage(services, record, { state: stateOf(body), sent });
  else if (record.done) await finishTest(services, record, sent);
  return { recordId: recordIdOf({ instanceId, testId }) };
}

export async function updateTestRecord(
  services: Services,
  {
    organizationId,
    recordId,
    body,
    sent,
  }: { organizationId: string; recordId: string; body: TestMessage; sent: unknown },
): Promise<void> {
  const parts = partsOfRecord(recordId) ?? refuse(notFound('Test record'));
  await applyMessage(services, { organizationId, ...parts }, { state: stateOf(body), sent });
}

type RecordKey = Pick<TestRecord, 'organizationId' | 'instanceId' | 'testKey'>;

/** An older message than the one applied changes nothing; an equal one is a re-delivery, which finishes what the first may not have. */
async function applyMessage(
  { table, ...services }: Services,
  key: RecordKey,
  { state, sent }: { state: TestState; sent: unknown },
): Promise<void> {
  const changes = {
    set: [...changesOf(state), ...(state.done ? [] : [['heardAt', services.now()] as const])],
    setIfAbsent: state.done ? [['finalAt', services.now()] as const] : [],
    add: state.done ? [['finals', 1] as const] : [],
  };
  const newest = { all: [{ present: 'pk' }, { path: 'sequence', atMost: state.sequence }] };
  const outcome = await table.update(testRecords, key, changes, newest);
  if (!outcome.done && !outcome.existing) throw notFound('Test record');
  if (outcome.done && state.done) await finishTest({ table, ...services }, outcome.item, sent);
}

const stateOf = (body: TestMessage): TestState => ({
  sequence: body._t,
  done: body._d,
  reported: { outcome: body._s, flaky: body._f },
  attempts: body.attempts,
  annotations: body.annotations,
  testTags: body.tags,
});
