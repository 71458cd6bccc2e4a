import { describe, expect, test } from 'vitest';
import type { Delivery } from '#shared/model/events/delivery.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock } from '#test/harness/service.ts';
import { jobOf, stage } from './stage.ts';

const MINUTE = 60_000;
const ATTEMPT = { at: 0, latencyMs: 1, statusCode: 500, error: 'The receiver answered 500', answer: '' };

describe('a successful delivery', () => {
  test('sends one request, is recorded as delivered, and leaves the stored webhook unchanged', async () => {
    const here = await stage();
    const { url, received } = await receiver(answering(202, {}, 'thank you'));
    const webhook = await here.webhook({ url, headers: '{"X-Token":"t"}' });
    const delivery = await here.delivery(webhook);
    const before = await here.webhookNow(webhook);
    const [note] = await here.attempt(delivery);
    expect(note).toMatchObject({ ...jobOf(delivery), runId: delivery.runId, outcome: 'delivered', delivered: 1 });
    expect(received).toMatchObject([{ method: 'POST', body: delivery.body }]);
    expect([received[0]?.header('x-token'), received[0]?.header('webhook-id')]).toEqual(['t', delivery.deliveryId]);
    const attempts = [{ at: Date.now(), latencyMs: 0, statusCode: 202, error: null, answer: 'thank you' }];
    expect(await here.deliveryNow(delivery)).toEqual({ ...delivery, status: 'delivered', attemptsMade: 1, attempts });
    expect(await here.webhookNow(webhook)).toEqual(before);
    expect(here.sent).toEqual([]);
  });

  test('A delivery is signed with each secret of the webhook that has not expired', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    const values = ['whsec_AAAA', 'whsec_BBBB', 'whsec_CCCC'] as const;
    const secrets = [
      { value: values[0] },
      { value: values[1], expiresAt: Date.now() + 1 },
      { value: values[2], expiresAt: Date.now() },
    ];
    await here.attempt(await here.delivery(await here.webhook({ url, secrets })));
    expect(received[0]?.header('webhook-signature')?.split(' ')).toHaveLength(2);
  });
});

describe('a failed delivery', () => {
  test('is retried through the queue after about 5 seconds', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500, {}, 'no'));
    const delivery = await here.delivery(await here.webhook({ url }));
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'failed', failed: 1, statusCode: 500 }]);
    const after = await here.deliveryNow(delivery);
    expect(after).toMatchObject({ status: 'pending', attemptsMade: 1, retry: 1 });
    expect(after.attempts).toMatchObject([{ statusCode: 500, error: 'The receiver answered 500', answer: 'no' }]);
    const wait = (after.nextAttemptAt ?? 0) - Date.now();
    expect(wait).toBeGreaterThanOrEqual(4000);
    expect(wait).toBeLessThanOrEqual(6000);
    expect(here.sent).toEqual([{ message: jobOf(after), delaySeconds: Math.ceil(wait / 1000) }]);
    expect(await here.due()).toEqual([]);
  });

  test('is retried through the index of due deliveries if the delay is too long for the queue', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500));
    const delivery = await here.delivery(await here.webhook({ url }), { attemptsMade: 2, retry: 2 });
    await here.attempt(delivery);
    const after = await here.deliveryNow(delivery);
    expect((after.nextAttemptAt ?? 0) - Date.now()).toBeGreaterThanOrEqual(24 * MINUTE);
    expect(await here.due()).toMatchObject([{ ...jobOf(after), dueAt: after.nextAttemptAt }]);
    expect(here.sent).toEqual([]);
  });

  test('is retried after the number of seconds in the Retry-After header', async () => {
    const here = await stage();
    const { url } = await receiver(answering(429, { 'retry-after': '600' }));
    const delivery = await here.delivery(await here.webhook({ url }));
    await here.attempt(delivery);
    expect(here.sent).toMatchObject([{ message: { attempt: 1 }, delaySeconds: 600 }]);
    expect((await here.deliveryNow(delivery)).nextAttemptAt).toBe(Date.now() + 10 * MINUTE);
  });

  test('is attempted eight times with the same id over more than 22 hours, and then counts as exhausted', async () => {
    const here = await stage();
    const { url, received } = await receiver(answering(500));
    const webhook = await here.webhook({ url });
    let delivery: Delivery = await here.delivery(webhook);
    const outcomes: unknown[] = [];
    const began = Date.now();
    while (delivery.status === 'pending') {
      clock.set(Math.max(delivery.nextAttemptAt ?? 0, (await here.webhookNow(webhook))?.pausedUntil ?? 0, Date.now()));
      outcomes.push(...(await here.attempt(delivery)));
      delivery = await here.deliveryNow(delivery);
    }
    expect(delivery).toMatchObject({ status: 'exhausted', attemptsMade: 8 });
    expect(delivery).not.toHaveProperty('nextAttemptAt');
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'exhausted', exhausted: 1, failed: 1 });
    expect(received.map(({ header }) => header('webhook-id'))).toEqual(Array(8).fill(delivery.deliveryId));
    expect(new Set(received.map(({ header }) => header('x-timestamp'))).size).toBe(8);
    expect(Date.now() - began).toBeGreaterThan(22 * 60 * MINUTE);
  });

  test('keeps a record of only its ten latest attempts', async () => {
    const here = await stage();
    const { url } = await receiver(answering(503));
    const attempts = Array.from({ length: 10 }, (_, at) => ({ ...ATTEMPT, at }));
    const delivery = await here.delivery(await here.webhook({ url }), { attempts, attemptsMade: 12 });
    await here.attempt(delivery);
    const after = await here.deliveryNow(delivery);
    expect(after.attempts.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, Date.now()]);
    expect(after.attemptsMade).toBe(13);
  });

  test('A delivery sends no request if the URL of the webhook is no longer allowed', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    const delivery = await here.delivery(await here.webhook({ url }));
    await here.attempt(delivery, { ...here.services, privateReceivers: 'none' as const });
    const { attempts } = await here.deliveryNow(delivery);
    expect(attempts).toMatchObject([
      { statusCode: null, error: 'The URL does not begin with https://. Send one that does' },
    ]);
    expect(received).toEqual([]);
  });
});

describe('a delivery job', () => {
  test.each([
    ['for a past attempt', { attemptsMade: 3 }, 1],
    ['for an attempt after the next one', { attemptsMade: 3 }, 4],
    ['for a delivered delivery', { status: 'delivered' }, 0],
    ['for an exhausted delivery', { status: 'exhausted' }, 0],
    ['for a dropped delivery', { status: 'dropped' }, 0],
  ] as const)('A delivery job %s does nothing', async (_, changes, attempt) => {
    const here = await stage();
    const { url, received } = await receiver();
    const delivery = await here.delivery(await here.webhook({ url }), changes);
    expect(await here.attempt({ ...delivery, attemptsMade: attempt })).toMatchObject([{ outcome: 'stale' }]);
    expect(await here.deliveryNow(delivery)).toEqual(delivery);
    expect([received, here.sent]).toEqual([[], []]);
  });

  test('does nothing if its delivery does not exist', async () => {
    const here = await stage();
    const delivery = await here.delivery(await here.webhook());
    expect(await here.attempt({ ...delivery, deliveryId: 'msg_0' })).toMatchObject([{ outcome: 'stale' }]);
  });

  test('A delivery job that the queue delivers too early returns to the queue with the remaining delay, but at most 15 minutes', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    const webhook = await here.webhook({ url });
    for (const [wait, delaySeconds] of [
      [1500, 2],
      [20 * MINUTE, 900],
    ] as const) {
      const delivery = await here.delivery(webhook, { nextAttemptAt: Date.now() + wait });
      expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'early' }]);
      expect(here.sent).toEqual([{ message: jobOf(delivery), delaySeconds }]);
    }
    expect(received).toEqual([]);
  });

  test('sends its request if the queue delivers it on time', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    const delivery = await here.delivery(await here.webhook({ url }), { nextAttemptAt: Date.now() });
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'delivered' }]);
    expect(received).toHaveLength(1);
    expect(await here.deliveryNow(delivery)).not.toHaveProperty('nextAttemptAt');
  });
});
