/**
 * §6 Tests that an outbox row that fails is retried with backoff, is parked after the last retry, and is never lost.
 */

import { describe, expect, test, vi } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { EVENT_LIMITS } from '#shared/events/limits.ts';
import { listParkedRows, resendParkedRows } from '#shared/events/parked.ts';
import { relayOrRetryLater } from '#shared/events/relay.ts';
import { resendOutbox } from '#shared/events/resend.ts';
import { type OutboxRow, outbox } from '#shared/model/events/outbox.ts';
import { ownDestinations } from '#test/harness/destinations.ts';
import { parkedRows, refusing, retryRows } from './own-service.ts';
import { deliveryRow, eventsRow, rowsLeft, runEvent } from './rows.ts';

const UNBOUNDED = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };
const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

describe('a parked outbox row', () => {
  test('The operator can list parked outbox rows and release them, and the next sweep sends the released rows', async () => {
    const { services, events, refuseEvents } = await ownDestinations();
    const row = eventsRow(runEvent('poisoned'));
    await services.table.put(outbox, row);
    refuseEvents(refusing('entryRefused'));
    await relayOrRetryLater(services, row);
    for (const _ of EVENT_LIMITS.outboxRetrySeconds) {
      later(86_400_000);
      await resendOutbox(services, UNBOUNDED);
    }
    const by = { actor: OPERATOR };
    expect(await listParkedRows(services, by)).toMatchObject([{ content: row.content }]);
    refuseEvents(() => undefined);
    expect(await resendParkedRows(services, by)).toHaveLength(1);
    expect(await listParkedRows(services, by)).toEqual([]);
    later(1);
    expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ resent: 1, failed: 0 });
    expect(await events()).toMatchObject([{ detail: { runId: 'poisoned' } }]);
  });

  test('Only the operator can list and resend parked outbox rows', async () => {
    const { services } = await ownDestinations();
    const by = { actor: makePerson({ accountId: 'somebody' }) };
    await expect(listParkedRows(services, by)).rejects.toThrow('Only the operator');
    await expect(resendParkedRows(services, by)).rejects.toThrow('Only the operator');
  });
});

describe('an outbox row that fails', () => {
  test('is retried with backoff, and then parked with its error and content', async () => {
    const { services, refuseEvents } = await ownDestinations();
    const row = eventsRow(runEvent('poisoned'));
    await services.table.put(outbox, row);
    refuseEvents(refusing('entryRefused'));
    expect(await relayOrRetryLater(services, row)).toMatchObject([{ runId: 'poisoned', outcome: 'retryLater' }]);
    for (const seconds of EVENT_LIMITS.outboxRetrySeconds) {
      later(seconds * 1000);
      expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ resent: 0, failed: 0, parked: 0 });
      later(1);
      expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ resent: 0, failed: 1 });
    }
    expect(await retryRows(services.table)).toEqual([]);
    const tries = EVENT_LIMITS.outboxRetrySeconds.length + 1;
    expect(await parkedRows(services.table)).toMatchObject([
      { tries, at: row.at, content: row.content, reason: expect.stringContaining('ThrottlingException') },
    ]);
    later(30 * 86_400_000);
    expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ failed: 0, parked: 0, lateSeconds: 0 });
  });

  test('Only the sweep that parks an outbox row counts it as parked', async () => {
    const { services, refuseEvents } = await ownDestinations();
    const row = eventsRow(runEvent('poisoned'));
    await services.table.put(outbox, row);
    refuseEvents(refusing('entryRefused'));
    await relayOrRetryLater(services, row);
    let parked = 0;
    for (const _ of [...EVENT_LIMITS.outboxRetrySeconds, 'one more']) {
      later(86_400_000);
      parked += (await resendOutbox(services, UNBOUNDED)).parked;
    }
    expect(parked).toBe(1);
  });

  test('An outbox row that failed is sent and removed when the event bus accepts it', async () => {
    const { services, events, refuseEvents } = await ownDestinations();
    const row = eventsRow(runEvent('poisoned'));
    await services.table.put(outbox, row);
    refuseEvents(refusing('callFails'));
    await relayOrRetryLater(services, row);
    refuseEvents(() => undefined);
    later(60_001);
    expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ resent: 1, failed: 0 });
    expect((await events()).map(({ detail }) => detail)).toEqual([{ ...runEvent('poisoned'), ...timesOf(row) }]);
    expect([await retryRows(services.table), await rowsLeft(services.table)]).toEqual([[], []]);
  });

  test('An outage of the event bus uses up no retries of an outbox row, even if the outage lasts ten days', async () => {
    const { services, refuseEvents } = await ownDestinations();
    const row = eventsRow(runEvent('poisoned'));
    await services.table.put(outbox, row);
    refuseEvents(refusing('entryRefused'));
    await relayOrRetryLater(services, row);
    refuseEvents(() => 'callFails');
    for (let day = 0; day < 10; day += 1) {
      later(86_400_000);
      expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ failed: 1, parked: 0 });
    }
    expect(await retryRows(services.table)).toMatchObject([{ tries: 1 }]);
  });

  test('If the event bus refuses some events of an outbox row, only the refused events get a retry row, one each', async () => {
    const { services, events, refuseEvents } = await ownDestinations();
    const groups = Array.from({ length: 23 }, (_, place) => `${place % 10 === 4 ? 'poisoned' : 'good'}-${place}`);
    const row = eventsRow(...groups.map((group) => runEvent('run-1', 'RunStarted', group)));
    await services.table.put(outbox, row);
    refuseEvents(refusing('entryRefused'));
    await relayOrRetryLater(services, row);
    expect((await events()).map(({ detail }) => 'groupId' in detail && detail.groupId)).toEqual(
      groups.filter((one) => one.startsWith('good')),
    );
    const failed = (await retryRows(services.table)).map(({ content }) => content);
    expect(failed).toMatchObject(['poisoned-4', 'poisoned-14'].map((group) => ({ events: [{ groupId: group }] })));
  });

  test('gets no retry row if another relay has already removed it', async () => {
    const { services, refuseEvents } = await ownDestinations();
    refuseEvents(refusing('entryRefused'));
    await relayOrRetryLater(services, eventsRow(runEvent('poisoned')));
    expect([await retryRows(services.table), await rowsLeft(services.table)]).toEqual([[], []]);
  });
});

describe('an outbox row that fails in an outage', () => {
  test.each(['entryRefused', 'callFails'] as const)(
    'An outbox row stays in the outbox during an outage of the event bus (%s)',
    async (kind) => {
      const { services, refuseEvents } = await ownDestinations();
      const row = eventsRow(runEvent('run-1'));
      await services.table.put(outbox, row);
      refuseEvents(() => kind);
      await expect(relayOrRetryLater(services, row)).rejects.toThrow('refused 1 of 1');
      later(EVENT_LIMITS.resendAfterMilliseconds + 1000);
      expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ failed: 1 });
      expect([await retryRows(services.table), await rowsLeft(services.table)]).toMatchObject([[], [row]]);
    },
  );

  test('An outbox row stays in the outbox if the delivery queue does not exist', async () => {
    const { services, removeQueue } = await ownDestinations();
    const row = deliveryRow('msg-1');
    await services.table.put(outbox, row);
    await removeQueue();
    await expect(relayOrRetryLater(services, row)).rejects.toThrow();
    expect([await retryRows(services.table), await rowsLeft(services.table)]).toMatchObject([[], [row]]);
  });
});

const timesOf = ({ at }: OutboxRow) => ({ runCreatedAt: at, occurredAt: at });
