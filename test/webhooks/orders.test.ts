import { describe, expect, test, vi } from 'vitest';
import { webhooks } from '#shared/resources/webhook.ts';
import { deleteWebhook } from '#shared/webhooks/delete-webhook.ts';
import { redeliver } from '#shared/webhooks/redeliver.ts';
import { sendTest } from '#shared/webhooks/send-test.ts';
import { dyingAfter, interruptedAt } from '#test/harness/interrupted-table.ts';
import { type OwnWebhook, orderFor, ownWebhook } from './own-webhook.ts';

const MINUTE = 60_000;

describe('A test event', () => {
  test('is written with its order, both or neither', async () => {
    const { services, of, listed, orders } = await ownWebhook();
    await expect(sendTest(dyingAfter(services, 0), of)).rejects.toThrow('died');
    expect([await listed(), await orders()]).toEqual([[], []]);
    const { deliveryId } = await sendTest(services, of);
    expect(await listed()).toMatchObject([{ deliveryId, status: 'pending', retry: 0, attemptsMade: 0 }]);
    expect(await orders()).toEqual([orderFor(of, deliveryId, 0)]);
  });

  test('is kept for thirty days', async () => {
    const { services, of, listed } = await ownWebhook();
    await sendTest(services, of);
    expect((await listed())[0]?.expiresAt).toBe((Date.now() + 30 * 86_400_000) / 1000);
  });
});

describe.each([
  ['A test event', 1, sendTest],
  ['A delivery that is sent again', 2, redeliver],
] as const)('%s', (_, callsBefore, send) => {
  test.each([
    ['disabled', 'Enable it first'],
    ['deleted', 'Webhook not found'],
  ])('is not ordered for a webhook that is %s at that moment: %s', async (what, refusal) => {
    const { services, of, store, orders } = await ownWebhook();
    const { deliveryId } = await store({});
    const disabled = { at: Date.now(), reason: 'gone' };
    const end = () =>
      what === 'deleted'
        ? deleteWebhook(services, of)
        : services.table.update(webhooks, of, { set: [['disabled', disabled]] });
    const late = interruptedAt(services, callsBefore, end);
    await expect(send({ ...services, ...late.services }, { ...of, deliveryId })).rejects.toThrow(refusal);
    expect(late.happened()).toBe(true);
    expect(await orders()).toEqual([]);
  });
});

describe('A delivery that is sent again by hand', () => {
  test('begins the schedule anew with the attempt that is next, and is kept for another thirty days', async () => {
    const { services, of, store, listed, orders } = await ownWebhook();
    const before = await store({ status: 'exhausted', attemptsMade: 8, retry: 7 });
    vi.setSystemTime(Date.now() + 7 * 86_400_000);
    await redeliver(services, { ...of, deliveryId: before.deliveryId });
    const now = Date.now();
    const again = { status: 'pending', retry: 0, nextAttemptAt: now, expiresAt: now / 1000 + 30 * 86_400 };
    expect(await listed()).toMatchObject([{ ...before, ...again }]);
    expect(await orders()).toEqual([orderFor(of, before.deliveryId, 8)]);
  });

  test.each([
    ['arrived', {}],
    ['waits', { status: 'pending', nextAttemptAt: Date.parse('2026-11-02T20:00:00Z') }],
  ] as const)('is ordered once where it %s, however often that is asked for, and by two at once', async (_, more) => {
    const { services, of, store, orders } = await ownWebhook();
    const { deliveryId } = await store(more);
    const again = (on: OwnWebhook['services']) => redeliver(on, { ...of, deliveryId });
    const late = interruptedAt(services, 2, () => again(services));
    await again({ ...services, ...late.services });
    expect(late.happened()).toBe(true);
    expect(await again(services)).toMatchObject({ deliveryId, status: 'pending' });
    expect(await orders()).toHaveLength(1);
  });

  test.each([
    ['is under way', -1, 0],
    ['waits for its next attempt', 1, 1],
    ['was lost on its way long ago', -15 * MINUTE, 1],
  ])('if it %s: %j ms from when it is due, %j orders', async (_, due, expected) => {
    const { services, of, store, listed, orders } = await ownWebhook();
    const before = await store({ status: 'pending', attemptsMade: 3, retry: 3, nextAttemptAt: Date.now() + due });
    const answer = await redeliver(services, { ...of, deliveryId: before.deliveryId });
    expect(await orders()).toEqual(Array(expected).fill(orderFor(of, before.deliveryId, 3)));
    expect(await listed()).toMatchObject([
      expected === 0 ? before : { ...before, retry: 0, nextAttemptAt: Date.now() },
    ]);
    expect(answer.status).toBe('pending');
  });

  test('keeps the attempt that was made at that moment, and is ordered for the one after it', async () => {
    const { services, of, store, listed, orders } = await ownWebhook();
    const waits = { status: 'pending', nextAttemptAt: Date.now() + MINUTE } as const;
    const { deliveryId } = await store({ ...waits, attemptsMade: 1 });
    const attempted = interruptedAt(services, 2, () => store({ ...waits, attemptsMade: 2 }));
    await redeliver(attempted.services, { ...of, deliveryId });
    expect(attempted.happened()).toBe(true);
    expect(await listed()).toMatchObject([{ attemptsMade: 2, status: 'pending' }]);
    expect(await orders()).toEqual([orderFor(of, deliveryId, 2)]);
  });
});
