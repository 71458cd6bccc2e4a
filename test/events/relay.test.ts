import { describe, expect, test, vi } from 'vitest';
import { relay } from '#shared/events/relay.ts';
import { resendOutbox } from '#shared/events/resend.ts';
import { retryDeliveries } from '#shared/events/retry-deliveries.ts';
import { LIMITS } from '#shared/limits.ts';
import { dueDeliveries } from '#shared/resources/due.ts';
import { outbox } from '#shared/resources/outbox.ts';
import { put } from '#shared/table/writes.ts';
import { WEBHOOK_LIMITS } from '#shared/webhook-limits.ts';
import { ownOutward } from '../harness/outward.ts';
import { deliveryRow, eventsRow, rowsLeft, runEvent } from './rows.ts';

const later = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);
const UNBOUNDED = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };

describe('a row of the outbox', () => {
  test('with events goes to the bus, each under its name and with its time, and is taken away', async () => {
    const { services, events, orders } = await ownOutward();
    const row = eventsRow(runEvent('run-1'), runEvent('run-1', 'RUN_FINISH', 'firefox'));
    await services.table.put(outbox, row);
    await relay(services, row);
    const taken = await events();
    expect(taken.map((one) => [one.source, one['detail-type'], one.detail.group])).toEqual([
      ['rundown', 'RUN_START', 'chromium'],
      ['rundown', 'RUN_FINISH', 'firefox'],
    ]);
    expect(taken[0]).toMatchObject({ time: '2026-11-02T10:00:00Z', detail: runEvent('run-1') });
    expect(await orders()).toEqual([]);
    expect(await rowsLeft(services.table)).toEqual([]);
  });

  test('with a delivery goes to the queue, and is taken away', async () => {
    const { services, events, orders } = await ownOutward();
    const row = deliveryRow('msg-1');
    await services.table.put(outbox, row);
    await relay(services, row);
    expect(await orders()).toEqual([{ organizationId: 'org-1', hookId: 'hook-1', deliveryId: 'msg-1', attempt: 0 }]);
    expect(await events()).toEqual([]);
    expect(await rowsLeft(services.table)).toEqual([]);
  });

  test('of which the bus took a part stays as a whole, and says what the bus said', async () => {
    const { services, events, refuseEvents } = await ownOutward();
    const row = eventsRow(runEvent('run-1'), runEvent('run-1', 'RUN_FINISH'));
    await services.table.put(outbox, row);
    refuseEvents(({ DetailType }) => (DetailType === 'RUN_FINISH' ? 'entryRefused' : undefined));
    await expect(relay(services, row)).rejects.toThrow('did not take 1 of 2: ThrottlingException: Rate exceeded');
    expect(await rowsLeft(services.table)).toMatchObject([row]);
    refuseEvents(() => undefined);
    await relay(services, row);
    expect((await events()).map((one) => one['detail-type'])).toEqual(['RUN_START', 'RUN_START', 'RUN_FINISH']);
    expect(await rowsLeft(services.table)).toEqual([]);
  });

  test('that the queue did not take stays', async () => {
    const { services, removeQueue } = await ownOutward();
    const row = deliveryRow('msg-1');
    await services.table.put(outbox, row);
    await removeQueue();
    await expect(relay(services, row)).rejects.toThrow();
    expect(await rowsLeft(services.table)).toMatchObject([row]);
  });

  test('with more events than one call takes goes out whole and in order', async () => {
    const { services, events, refuseEvents } = await ownOutward();
    const groups = Array.from({ length: 23 }, (_, place) => `group-${place}`);
    const row = eventsRow(...groups.map((group) => runEvent('run-1', 'RUN_START', group)));
    // Among those of the second call: what is told of one entry must not be taken for another.
    refuseEvents(({ Detail }) => (Detail.includes('group-14') ? 'entryRefused' : undefined));
    await expect(relay(services, row)).rejects.toThrow('did not take 1 of 23');
    expect((await events()).map(({ detail }) => detail.group)).toEqual(groups.filter((group) => group !== 'group-14'));
  });

  test('with more bytes than one call takes goes out whole', async () => {
    const { services, events } = await ownOutward();
    const message = 'm'.repeat(WEBHOOK_LIMITS.outbound.bytesPerCall / 4);
    const large = Array.from({ length: 6 }, (_, place) => {
      const event = runEvent('run-1', 'RUN_START', `group-${place}`);
      return { ...event, payload: { ...event.payload, commit: { ...event.payload.commit, message } } };
    });
    await relay(services, eventsRow(...large));
    expect((await events()).map(({ detail }) => detail.group)).toEqual(large.map(({ group }) => group));
  });
});

describe('after the bus was down for everybody', () => {
  test.each(['entryRefused', 'callFails'] as const)(
    '(%s) everything is published, and nothing is left',
    async (trouble) => {
      const { services, events, orders, refuseEvents } = await ownOutward();
      const runs = Array.from({ length: 15 }, (_, place) => `run-${place}`);
      const rows = [...runs.map((run) => eventsRow(runEvent(run), runEvent(run, 'RUN_FINISH'))), deliveryRow('msg-1')];
      for (const row of rows) await services.table.put(outbox, row);
      refuseEvents(() => trouble);
      for (const row of rows.slice(0, 3)) await expect(relay(services, row)).rejects.toThrow('did not take 2 of 2');
      later(WEBHOOK_LIMITS.resendAfterMilliseconds + 1000);
      expect(await resendOutbox(services, UNBOUNDED)).toEqual({
        resent: 1,
        failed: runs.length,
        lateSeconds: 121,
        finished: true,
      });
      expect(await rowsLeft(services.table)).toHaveLength(runs.length);
      refuseEvents(() => undefined);
      later(60_000);
      const report = await resendOutbox(services, UNBOUNDED);
      expect(report).toEqual({ resent: runs.length, failed: 0, lateSeconds: 181, finished: true });
      const published = (await events()).map(({ detail }) => `${detail.runId} ${detail.payload.event}`);
      expect(published.sort()).toEqual(runs.flatMap((run) => [`${run} RUN_START`, `${run} RUN_FINISH`]).sort());
      expect(await orders()).toHaveLength(1);
      expect(await rowsLeft(services.table)).toEqual([]);
      expect(await resendOutbox(services, UNBOUNDED)).toEqual({ resent: 0, failed: 0, lateSeconds: 0, finished: true });
    },
  );
});

describe('the sweep of the outbox', () => {
  test('leaves to the relay what it may still be at', async () => {
    const { services, events } = await ownOutward();
    await services.table.put(outbox, eventsRow(runEvent('run-1')));
    later(WEBHOOK_LIMITS.resendAfterMilliseconds - 1000);
    expect(await resendOutbox(services, UNBOUNDED)).toMatchObject({ resent: 0, lateSeconds: 0 });
    expect(await events()).toEqual([]);
  });

  test('passes over a row that never goes out, says why, and sends what is behind it', async () => {
    const { services, events, refuseEvents } = await ownOutward();
    const run = 'run-1';
    for (const name of ['RUN_START', 'RUN_FINISH'] as const) {
      await services.table.put(outbox, eventsRow(runEvent(run, name)));
      later(1000);
    }
    refuseEvents(({ DetailType }) => (DetailType === 'RUN_START' ? 'entryRefused' : undefined));
    later(WEBHOOK_LIMITS.resendAfterMilliseconds);
    const faults: unknown[] = [];
    const report = await resendOutbox(services, { ...UNBOUNDED, onFailure: (error) => faults.push(error) });
    expect(report).toMatchObject({ resent: 1, failed: 1 });
    expect(String(faults)).toContain('ThrottlingException');
    expect((await events()).map((one) => one['detail-type'])).toEqual(['RUN_FINISH']);
  });

  test('stops before its time is up, and says that it did not finish', async () => {
    const { services, events } = await ownOutward();
    await services.table.put(outbox, eventsRow(runEvent('run-1')));
    later(WEBHOOK_LIMITS.resendAfterMilliseconds + 1000);
    const report = await resendOutbox(services, { remainingMilliseconds: () => LIMITS.sweepMarginMilliseconds - 1 });
    expect(report).toMatchObject({ resent: 0, finished: false });
    expect(await events()).toEqual([]);
  });
});

describe('an attempt to deliver that is due', () => {
  const due = (deliveryId: string, dueAt: number) => ({
    organizationId: 'org-1',
    hookId: 'hook-1',
    deliveryId,
    attempt: 3,
    dueAt,
  });

  test('is handed to the sender, once, and not before', async () => {
    const { services, orders } = await ownOutward();
    const { table } = services;
    await table.writeMany([
      put(dueDeliveries, due('msg-1', Date.now() - 5000)),
      put(dueDeliveries, due('msg-2', Date.now() + 5000)),
    ]);
    expect(await retryDeliveries(services, UNBOUNDED)).toEqual({ due: 1, failed: 0, lateSeconds: 5, finished: true });
    expect(await orders()).toEqual([{ organizationId: 'org-1', hookId: 'hook-1', deliveryId: 'msg-1', attempt: 3 }]);
    expect(await retryDeliveries(services, UNBOUNDED)).toMatchObject({ due: 0 });
    later(6000);
    await retryDeliveries(services, UNBOUNDED);
    expect((await orders()).map(({ deliveryId }) => deliveryId)).toEqual(['msg-2']);
  });

  test('that the queue did not take stays due', async () => {
    const { services, removeQueue } = await ownOutward();
    await services.table.put(dueDeliveries, due('msg-1', Date.now() - 1));
    await removeQueue();
    for (let run = 0; run < 2; run += 1) {
      expect(await retryDeliveries(services, UNBOUNDED)).toMatchObject({ due: 1, failed: 1 });
    }
  });
});
