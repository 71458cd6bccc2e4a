/**
 * §6 Tests how an event gets from the outbox to the receiver through the whole infrastructure: stream, relay, bus,
 * rule, queues and functions.
 */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '#shared/model/events/delivery.ts';
import { makeOutboxRow, outbox } from '#shared/model/events/outbox.ts';
import { connectDeliveryQueue } from '#shared/platform/connect.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { createSigningSecret } from '#shared/webhooks/sign.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock, deliverEvents, logLines, runDeployedBundles } from '#test/harness/service.ts';
import { jobOf, runEvent, type Stage, stage } from './stage.ts';

deliverEvents();

runDeployedBundles();

async function emit(here: Stage, events: ReturnType<typeof runEvent>[]): Promise<void> {
  const row = { at: Date.now(), outboxId: crypto.randomUUID(), content: { kind: 'events', events } as const };
  await here.services.table.put(outbox, makeOutboxRow(events[0]?.runId ?? '', row));
}

const job = (here: Stage, deliveries: readonly Delivery[]): Promise<void> =>
  connectDeliveryQueue(here.environment)().send(deliveries.map((delivery) => ({ message: jobOf(delivery) })));

describe('§6 the delivery of an event', () => {
  test('An event in the outbox reaches every subscribed webhook with one request per group, which is signed if the webhook has a secret', async () => {
    const here = await stage();
    const secret = createSigningSecret();
    const first = await receiver();
    const second = await receiver();
    await here.webhook({ url: first.url, secrets: [{ value: secret }] });
    await here.webhook({ url: second.url, hookEvents: ['RUN_FINISH'] });
    const event = runEvent(here);
    const inGroup = (groupId: string) => ({ ...event, groupId, hasSeveralGroups: true });
    await emit(here, [inGroup('chrome'), inGroup('firefox')]);
    for (const { received } of [first, second]) {
      await expect.poll(() => received.length).toBe(2);
      const groups = received.map(({ body }) => JSON.parse(body).groupId);
      expect(groups.sort()).toEqual(['chrome', 'firefox']);
    }
    for (const { body, header } of first.received) {
      const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
        name,
        header(name) ?? '',
      ]);
      expect(new Webhook(secret).verify(body, Object.fromEntries(headers))).toEqual(JSON.parse(body));
    }
  });

  test('A delivery is retried through the queue when the receiver fails', async () => {
    const here = await stage();
    const answers = [500, 204];
    const { url, received } = await receiver((response) => response.writeHead(answers.shift() ?? 204).end());
    const webhook = await here.webhook({ url });
    const delivery = await here.delivery(webhook);
    await job(here, [delivery]);
    const status = async () => (await here.deliveryNow(delivery)).status;
    const attempts = async () => (await here.deliveryNow(delivery)).attemptsMade;
    await expect.poll(attempts).toBe(1);
    clock.advance(6000);
    await expect.poll(status).toBe('delivered');
    expect(received).toHaveLength(2);
    const logged = () => logLines.some((line) => line.includes('"delivered":1') && line.includes(delivery.deliveryId));
    await expect.poll(logged).toBe(true);
  });

  test('A delivery is retried through the index of due deliveries if the retry is due hours later', async () => {
    const here = await stage();
    const answers = [503, 204];
    const { url, received } = await receiver((response) => response.writeHead(answers.shift() ?? 204).end());
    const delivery = await here.delivery(await here.webhook({ url }), { attemptsMade: 3, retry: 3 });
    await here.attempt(delivery);
    await here.runSchedule('retryDeliveries');
    expect([received.length, (await here.due()).length]).toEqual([1, 1]);
    clock.set((await here.deliveryNow(delivery)).nextAttemptAt ?? 0);
    clock.advance(1);
    await here.runSchedule('retryDeliveries');
    await expect.poll(async () => (await here.deliveryNow(delivery)).status).toBe('delivered');
    expect([received.length, (await here.due()).length]).toEqual([2, 0]);
  });
});

describe('receivers that never answer', () => {
  test('do not delay deliveries to other receivers, not even in the same call of the function', async () => {
    const here = await stage();
    const silent = await receiver(() => undefined);
    const good = await receiver(answering(204));
    const deliveries: Delivery[] = [];
    for (let one = 0; one < 9; one += 1) deliveries.push(await here.delivery(await here.webhook({ url: silent.url })));
    const last = await here.delivery(await here.webhook({ url: good.url }));
    const before = performance.now();
    await job(here, [...deliveries, last]);
    await expect.poll(() => good.received.length).toBe(1);
    expect(performance.now() - before).toBeLessThan(SENDING_LIMITS.deliveryMilliseconds / 2);
    const made = () => Promise.all(deliveries.map(async (delivery) => (await here.deliveryNow(delivery)).attemptsMade));
    expect(await made()).toEqual(Array(9).fill(0));
    await expect.poll(made, { interval: 500 }).toEqual(Array(9).fill(1));
    expect(silent.received).toHaveLength(9);
  });
});
