import { describe, expect, test, vi } from 'vitest';
import { OUTBOX_LIMITS } from '#shared/engine/outbox/limits.ts';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';
import { put } from '#shared/engine/table/writes.ts';
import { EVENT_LIMITS } from '#shared/events/limits.ts';
import { relay } from '#shared/events/relay.ts';
import { resendOutbox } from '#shared/events/resend.ts';
import { retryAllDeliveries } from '#shared/events/retry-deliveries.ts';
import { dueDeliveries } from '#shared/model/due.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { ownDestinations } from '#test/harness/destinations.ts';
import { deliveryRow, eventsRow, rowsLeft, runEvent } from './rows.ts';

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
const UNBOUNDED = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };

describe('the outbox relay', () => {
  test('publishes each event with its type and time, and then removes the outbox row', async () => {
    const { services, events, jobs } = await ownDestinations();
    const row = eventsRow(runEvent('run-1'), runEvent('run-1', 'RunEnded', 'firefox'));
    await services.table.put(outbox, row);
    await relay(services, row);
    const taken = await events();
    expect(taken.map((one) => [one.source, one['detail-type'], 'groupId' in one.detail && one.detail.groupId])).toEqual(
      [
        ['rundown', 'RunStarted', 'chromium'],
        ['rundown', 'RunEnded', 'firefox'],
      ],
    );
    expect(taken[0]).toMatchObject({ time: '2026-11-02T10:00:00Z', detail: runEvent('run-1') });
    expect(await jobs()).toEqual([]);
    expect(await rowsLeft(services.table)).toEqual([]);
  });

  test('queues a webhook delivery job, and then removes the outbox row', async () => {
    const { services, events, jobs } = await ownDestinations();
    const row = deliveryRow('msg-1');
    await services.table.put(outbox, row);
    await relay(services, row);
    expect(await jobs()).toEqual([{ organizationId: 'org-1', hookId: 'hook-1', deliveryId: 'msg-1', attempt: 0 }]);
    expect(await events()).toEqual([]);
    expect(await rowsLeft(services.table)).toEqual([]);
  });

  test('keeps the whole row if the event bus refuses one of its events, and reports the reason', async () => {
    const { services, events, refuseEvents } = await ownDestinations();
    const row = eventsRow(runEvent('run-1'), runEvent('run-1', 'RunEnded'));
    await services.table.put(outbox, row);
    refuseEvents(({ DetailType }) => (DetailType === 'RunEnded' ? 'entryRefused' : undefined));
    await expect(relay(services, row)).rejects.toThrow('refused 1 of 2 events: ThrottlingException: Rate exceeded');
    expect(await rowsLeft(services.table)).toMatchObject([row]);
    refuseEvents(() => undefined);
    await relay(services, row);
    expect((await events()).map((one) => one['detail-type'])).toEqual(['RunStarted', 'RunStarted', 'RunEnded']);
    expect(await rowsLeft(services.table)).toEqual([]);
  });

  test('keeps the row if the queue refuses the job', async () => {
    const { services, removeQueue } = await ownDestinations();
    const row = deliveryRow('msg-1');
    await services.table.put(outbox, row);
    await removeQueue();
    await expect(relay(services, row)).rejects.toThrow();
    expect(await rowsLeft(services.table)).toMatchObject([row]);
  });

  test('publishes more events than fit into one call to the event bus, in order', async () => {
    const { services, events, refuseEvents } = await ownDestinations();
    const groups = Array.from({ length: 23 }, (_, place) => `group-${place}`);
    const row = eventsRow(...groups.map((group) => runEvent('run-1', 'RunStarted', group)));
    // The bus refuses an event of the second call, so code that counts events per call would report the wrong event.
    refuseEvents(({ Detail }) => (Detail.includes('group-14') ? 'entryRefused' : undefined));
    await expect(relay(services, row)).rejects.toThrow('refused 1 of 23');
    expect((await events()).map(({ detail }) => 'groupId' in detail && detail.groupId)).toEqual(
      groups.filter((group) => group !== 'group-14'),
    );
  });

  test('publishes events with more bytes than fit into one call to the event bus', async () => {
    const { services, events } = await ownDestinations();
    const message = 'm'.repeat(OUTBOX_LIMITS.bytesPerCall / 4);
    const large = Array.from({ length: 6 }, (_, place) => {
      const event = runEvent('run-1', 'RunStarted', `group-${place}`);
      return { ...event, commit: { ...event.commit, message } };
    });
    await relay(services, eventsRow(...large));
    expect((await events()).map(({ detail }) => 'groupId' in detail && detail.groupId)).toEqual(
      large.map(({ groupId }) => groupId),
    );
  });
});

describe('the end of an outage of the bus', () => {
  test.each(['entryRefused', 'callFails'] as const)(
    'After an outage of the event bus (%s), every event is published and the outbox is empty',
    async (trouble) => {
      const { services, events, jobs, refuseEvents } = await ownDestinations();
      const runs = Array.from({ length: 15 }, (_, place) => `run-${place}`);
      const rows = [...runs.map((run) => eventsRow(runEvent(run), runEvent(run, 'RunEnded'))), deliveryRow('msg-1')];
      for (const row of rows) await services.table.put(outbox, row);
      refuseEvents(() => trouble);
      for (const row of rows.slice(0, 3)) await expect(relay(services, row)).rejects.toThrow('refused 2 of 2');
      later(EVENT_LIMITS.resendAfterMilliseconds + 1000);
      expect(await resendOutbox(services, UNBOUNDED)).toEqual({
        resent: 1,
        failed: runs.length,
        parked: 0,
        lateSeconds: 121,
        finished: true,
      });
      expect(await rowsLeft(services.table)).toHaveLength(runs.length);
      refuseEvents(() => undefined);
      later(60_000);
      const report = await resendOutbox(services, UNBOUNDED);
      expect(report).toEqual({ resent: runs.length, failed: 0, parked: 0, lateSeconds: 181, finished: true });
      const published = (await events()).map(({ detail }) => `${detail.runId} ${detail.type}`);
      expect(published.sort()).toEqual(runs.flatMap((run) => [`${run} RunStarted`, `${run} RunEnded`]).sort());
      expect(await jobs()).toHaveLength(1);
      expect(await rowsLeft(services.table)).toEqual([]);
      expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({
        resent: 0,
        failed: 0,
        lateSeconds: 0,
        finished: true,
      });
    },
  );
});

describe('the outbox sweeper', () => {
  test('ignores recent rows, because the relay may still be sending them', async () => {
    const { services, events } = await ownDestinations();
    await services.table.put(outbox, eventsRow(runEvent('run-1')));
    later(EVENT_LIMITS.resendAfterMilliseconds - 1000);
    expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ resent: 0, lateSeconds: 0 });
    expect(await events()).toEqual([]);
  });

  test('reports a row that always fails, and sends the rows after it', async () => {
    const { services, events, refuseEvents } = await ownDestinations();
    const run = 'run-1';
    for (const name of ['RunStarted', 'RunEnded'] as const) {
      await services.table.put(outbox, eventsRow(runEvent(run, name)));
      later(1000);
    }
    refuseEvents(({ DetailType }) => (DetailType === 'RunStarted' ? 'entryRefused' : undefined));
    later(EVENT_LIMITS.resendAfterMilliseconds);
    const faults: unknown[] = [];
    const report = await resendOutbox(services, { ...UNBOUNDED, onFailure: (error) => faults.push(error) });
    expect(report).toMatchObject({ resent: 1, failed: 1 });
    expect(String(faults)).toContain('ThrottlingException');
    expect((await events()).map((one) => one['detail-type'])).toEqual(['RunEnded']);
  });

  test('stops before its time limit and reports that it did not finish', async () => {
    const { services, events } = await ownDestinations();
    await services.table.put(outbox, eventsRow(runEvent('run-1')));
    later(EVENT_LIMITS.resendAfterMilliseconds + 1000);
    const report = await resendOutbox(services, {
      remainingMilliseconds: () => TABLE_LIMITS.sweepMarginMilliseconds - 1,
    });
    expect(report).toMatchObject({ resent: 0, finished: false });
    expect(await events()).toEqual([]);
  });
});

describe('a scheduled delivery attempt', () => {
  const due = (deliveryId: string, dueAt: number) => ({
    organizationId: 'org-1',
    hookId: 'hook-1',
    deliveryId,
    attempt: 3,
    dueAt,
  });

  test('is queued exactly once, and not before its scheduled time', async () => {
    const { services, jobs } = await ownDestinations();
    const { table } = services;
    await table.writeMany([
      put(dueDeliveries, due('msg-1', Date.now() - 5000)),
      put(dueDeliveries, due('msg-2', Date.now() + 5000)),
    ]);
    expect(await retryAllDeliveries(services, UNBOUNDED)).toEqual({
      due: 1,
      failed: 0,
      lateSeconds: 5,
      finished: true,
    });
    expect(await jobs()).toEqual([{ organizationId: 'org-1', hookId: 'hook-1', deliveryId: 'msg-1', attempt: 3 }]);
    expect(await retryAllDeliveries(services, UNBOUNDED)).toMatchObject({ due: 0 });
    later(6000);
    await retryAllDeliveries(services, UNBOUNDED);
    expect((await jobs()).map(({ deliveryId }) => deliveryId)).toEqual(['msg-2']);
  });

  test('stays due if the queue refuses its job', async () => {
    const { services, removeQueue } = await ownDestinations();
    await services.table.put(dueDeliveries, due('msg-1', Date.now() - 1));
    await removeQueue();
    for (let run = 0; run < 2; run += 1) {
      expect(await retryAllDeliveries(services, UNBOUNDED)).toMatchObject({ due: 1, failed: 1 });
    }
  });
});
