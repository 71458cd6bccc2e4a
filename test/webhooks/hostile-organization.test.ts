/** §6 An organization with slow and failing receivers must not affect other organizations. */
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '#shared/model/events/delivery.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import { connectDeliveryQueue } from '#shared/platform/connect.ts';
import { WEBHOOK_LIMITS } from '#shared/webhooks/limits.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { jobOf, stage } from './stage.ts';

const { callsPerOrganization } = WEBHOOK_LIMITS.sending;
/**
 * The number of runs, each of which causes 20 deliveries. Together, the deliveries would occupy all concurrent calls of
 * the sender if the calls of an organization were not limited.
 */
const RUNS = 6;
const HOSTILE = RUNS * 20;
/**
 * The number of successful deliveries. Of every five webhooks, three are slow but succeed, one fails, and one begins
 * its answer but does not complete it.
 */
const DELIVERED = (HOSTILE / 5) * 3;

describe('an organization with 20 slow or failing webhooks', () => {
  test('delays 10 other organizations by at most one round of its concurrent calls, and none of its own deliveries is lost', async () => {
    const here = await stage();
    const queue = connectDeliveryQueue(here.environment)();
    const slow = await slowly();
    const failing = await receiver(answering(503));
    const dripping = await drips();
    const kinds = [slow.url, slow.url, slow.url, failing.url, dripping.url];
    const webhooks: Webhook[] = [];
    for (let number = 0; number < 20; number += 1)
      webhooks.push(await here.webhook({ url: kinds[number % kinds.length] ?? slow.url }));
    const [first] = webhooks;
    if (!first) throw new Error('There is no webhook');
    const sent: Delivery[] = [];
    for (let run = 0; run < RUNS; run += 1) sent.push(...(await here.deliveriesOf(first)));
    // The deliveries, grouped by webhook.
    const hostile = webhooks.flatMap(({ hookId }) => sent.filter((delivery) => delivery.hookId === hookId));
    expect(hostile).toHaveLength(HOSTILE);
    const endedBefore: number[] = [];
    const fast = await receiver((response) => {
      endedBefore.push(slow.count.ended);
      response.writeHead(204).end();
    });
    const others: Delivery[] = [];
    for (let number = 0; number < 10; number += 1) {
      const other = await stage();
      others.push(await other.delivery(await other.webhook({ url: fast.url })));
    }
    await queue.send(hostile.map((delivery) => ({ message: jobOf(delivery) })));
    await expect.poll(() => slow.count.open).toBeGreaterThan(0);
    await queue.send(others.map((delivery) => ({ message: jobOf(delivery) })));
    await expect.poll(() => endedBefore.length).toBe(others.length);
    // A call sends up to ten deliveries. The other organizations wait for at most one round of concurrent calls of the
    // hostile organization.
    expect(Math.max(...endedBefore)).toBeLessThanOrEqual(10 * callsPerOrganization);
    slow.hurry();
    dripping.stop();
    const answered = () => new Set(slow.received.map(({ header }) => header('webhook-id'))).size;
    await expect.poll(answered).toBe(DELIVERED);
    const now = () => Promise.all(hostile.map((delivery) => here.deliveryNow(delivery)));
    const delivered = async () => (await now()).filter(({ status }) => status === 'delivered').length;
    await expect.poll(delivered, { interval: 1000 }).toBe(DELIVERED);
    expect(slow.count.most).toBeLessThanOrEqual(10 * callsPerOrganization);
    expect(answered()).toBe(DELIVERED);
    expect((await now()).filter(({ status }) => status === 'pending')).toHaveLength(HOSTILE - DELIVERED);
  }, 150_000);
});

/** Starts a receiver that begins its answers, but does not complete them. `stop` breaks its connections. */
async function drips() {
  const open = new Set<ServerResponse>();
  let isOver = false;
  const target = await receiver((response) => {
    if (isOver) return response.destroy();
    open.add(response);
    response.writeHead(200).write('a');
  });
  const stop = () => {
    isOver = true;
    for (const response of open) response.destroy();
  };
  return { ...target, stop };
}

/** Starts a receiver that answers successfully after nine seconds, or immediately after a call of `hurry`. */
async function slowly() {
  const count = { open: 0, ended: 0, most: 0 };
  const waiting = new Set<() => void>();
  let milliseconds = 9000;
  const target = await receiver((response) => {
    count.open += 1;
    count.most = Math.max(count.most, count.open);
    response.once('close', () => {
      count.open -= 1;
      count.ended += 1;
    });
    const answer = () => void response.writeHead(204).end();
    const timer = setTimeout(answer, milliseconds);
    const now = () => {
      clearTimeout(timer);
      answer();
    };
    waiting.add(now);
    response.once('finish', () => waiting.delete(now));
  });
  const hurry = () => {
    milliseconds = 0;
    for (const now of [...waiting]) now();
  };
  onTestFinished(hurry);
  return { ...target, count, hurry };
}
