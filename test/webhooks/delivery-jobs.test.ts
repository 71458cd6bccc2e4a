import { describe, expect, test, vi } from 'vitest';
import { webhooks } from '#shared/model/events/webhook.ts';
import { deleteWebhook } from '#shared/webhooks/change-webhook.ts';
import { redeliver } from '#shared/webhooks/redeliver.ts';
import { sendTestEvent } from '#shared/webhooks/test-event.ts';
import { dyingAfter, interruptedAt } from '#test/harness/interrupted-table.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { jobFor, type OwnWebhook, ownWebhook } from './own-webhook.ts';

deliverEvents();

const MINUTE = 60_000;

describe('a test event', () => {
  test('is stored together with its delivery job, or not at all', async () => {
    const { services, of, listed, jobs } = await ownWebhook();
    await expect(sendTestEvent(dyingAfter(services, 0), of)).rejects.toThrow('died');
    expect([await listed(), await jobs()]).toEqual([[], []]);
    const { deliveryId } = await sendTestEvent(services, of);
    expect(await listed()).toMatchObject([{ deliveryId, status: 'pending', retry: 0, attemptsMade: 0 }]);
    expect(await jobs()).toEqual([jobFor(of, deliveryId, 0)]);
  });

  test('is kept in the delivery log for 30 days', async () => {
    const { services, of, listed } = await ownWebhook();
    await sendTestEvent(services, of);
    expect((await listed())[0]?.expiresAt).toBe((Date.now() + 30 * 86_400_000) / 1000);
  });
});

describe.each([
  ['a test event', 1, sendTestEvent],
  ['a redelivery', 2, redeliver],
] as const)('%s', (_, callsBefore, send) => {
  test.each([
    ['disabled', 'Enable it first'],
    ['deleted', 'Webhook not found'],
  ])('No delivery job is queued for a webhook that is concurrently %s (%s)', async (what, refusal) => {
    const { services, of, store, jobs } = await ownWebhook();
    const { deliveryId } = await store({});
    const disabled = { at: Date.now(), reason: 'gone' };
    const end = () =>
      what === 'deleted'
        ? deleteWebhook(services, of)
        : services.table.update(webhooks, of, { set: [['disabled', disabled]] });
    const late = interruptedAt(services, callsBefore, end);
    await expect(send({ ...services, ...late.services }, { ...of, deliveryId })).rejects.toThrow(refusal);
    expect(late.happened()).toBe(true);
    expect(await jobs()).toEqual([]);
  });
});

describe('a redelivery', () => {
  test('restarts the series of retries, and keeps the delivery for another 30 days', async () => {
    const { services, of, store, listed, jobs } = await ownWebhook();
    const before = await store({ status: 'exhausted', attemptsMade: 8, retry: 7 });
    vi.setSystemTime(Date.now() + 7 * 86_400_000);
    await redeliver(services, { ...of, deliveryId: before.deliveryId });
    const now = Date.now();
    const again = { status: 'pending', retry: 0, nextAttemptAt: now, expiresAt: now / 1000 + 30 * 86_400 };
    expect(await listed()).toMatchObject([{ ...before, ...again }]);
    expect(await jobs()).toEqual([jobFor(of, before.deliveryId, 8)]);
  });

  test.each([
    ['a delivered delivery', {}],
    ['a waiting delivery', { status: 'pending', nextAttemptAt: Date.parse('2026-11-02T20:00:00Z') }],
  ] as const)('A redelivery of %s queues one job, even for repeated and concurrent requests', async (_, more) => {
    const { services, of, store, jobs } = await ownWebhook();
    const { deliveryId } = await store(more);
    const again = (on: OwnWebhook['services']) => redeliver(on, { ...of, deliveryId });
    const late = interruptedAt(services, 2, () => again(services));
    await again({ ...services, ...late.services });
    expect(late.happened()).toBe(true);
    expect(await again(services)).toMatchObject({ deliveryId, status: 'pending' });
    expect(await jobs()).toHaveLength(1);
  });

  test.each([
    ['whose job is in the queue', -1, 0],
    ['that waits for its next attempt', 1, 1],
    ['that lost its job long ago', -15 * MINUTE, 1],
  ])(
    'The redelivery of a delivery %s queues a new job only if one is needed (due in %j ms, new jobs: %j)',
    async (_, due, expected) => {
      const { services, of, store, listed, jobs } = await ownWebhook();
      const before = await store({ status: 'pending', attemptsMade: 3, retry: 3, nextAttemptAt: Date.now() + due });
      const answer = await redeliver(services, { ...of, deliveryId: before.deliveryId });
      expect(await jobs()).toEqual(Array(expected).fill(jobFor(of, before.deliveryId, 3)));
      expect(await listed()).toMatchObject([
        expected === 0 ? before : { ...before, retry: 0, nextAttemptAt: Date.now() },
      ]);
      expect(answer.status).toBe('pending');
    },
  );

  test('does not lose a concurrent attempt, and queues the attempt that follows it', async () => {
    const { services, of, store, listed, jobs } = await ownWebhook();
    const waits = { status: 'pending', nextAttemptAt: Date.now() + MINUTE } as const;
    const { deliveryId } = await store({ ...waits, attemptsMade: 1 });
    const attempted = interruptedAt(services, 2, () => store({ ...waits, attemptsMade: 2 }));
    await redeliver(attempted.services, { ...of, deliveryId });
    expect(attempted.happened()).toBe(true);
    expect(await listed()).toMatchObject([{ attemptsMade: 2, status: 'pending' }]);
    expect(await jobs()).toEqual([jobFor(of, deliveryId, 2)]);
  });
});
