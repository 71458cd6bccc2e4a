/**
 * §6 Tests the bulkheads: the limits on how many concurrent calls of the sender function one organization or one
 * webhook can occupy.
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CallSlots } from '#shared/fair-shares/call-slots.ts';
import type { Delivery } from '#shared/model/events/delivery.ts';
import { SENDING_LIMITS } from '#shared/sending/limits.ts';
import { deliverWithSlot, WEBHOOK_CAPS } from '#shared/webhooks/deliver-with-slot.ts';
import { WEBHOOK_LIMITS } from '#shared/webhooks/limits.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock } from '#test/harness/service.ts';
import { jobOf, type Stage, stage } from './stage.ts';

const { callsPerOrganization, callsPerReceiver, leaseMilliseconds } = WEBHOOK_LIMITS.sending;

/** Starts a receiver that delays its answers until the test releases them. */
async function held() {
  const waiting: ServerResponse[] = [];
  let isOpen = false;
  let most = 0;
  const target = await receiver((response) => {
    if (isOpen) return void response.writeHead(204).end();
    waiting.push(response);
    most = Math.max(most, waiting.length);
    response.once('close', () => waiting.splice(waiting.indexOf(response), 1));
  });
  const release = () => {
    isOpen = true;
    for (const response of [...waiting]) response.writeHead(204).end();
  };
  onTestFinished(release);
  return { ...target, waiting, release, most: () => most };
}

/** Calls the sender function with one delivery, as a queue with few messages does. */
const call = (here: Stage, delivery: Delivery, slots = new CallSlots(WEBHOOK_CAPS)) =>
  deliverWithSlot({ ...jobOf(delivery), rounds: 0 }, { ...here.services, slots });

async function many(here: Stage, count: number, url: string, each: 'sameWebhook' | 'ownWebhook') {
  const webhook = await here.webhook({ url });
  const made: Delivery[] = [];
  for (let number = 0; number < count; number += 1)
    made.push(await here.delivery(each === 'sameWebhook' ? webhook : await here.webhook({ url })));
  return made;
}

describe('concurrent calls of the sender', () => {
  test.each([
    ['of one organization', 'ownWebhook', callsPerOrganization],
    ['to one webhook', 'sameWebhook', callsPerReceiver],
  ] as const)(
    'The number of concurrent webhook calls %s is limited: other jobs return to the queue without using up an attempt',
    async (_, each, cap) => {
      const here = await stage();
      const slow = await held();
      const deliveries = await many(here, cap + 4, slow.url, each);
      const calls = deliveries.map((delivery) => call(here, delivery));
      await expect.poll(() => [slow.waiting.length, here.sent.length]).toEqual([cap, 4]);
      for (const { message, delaySeconds } of here.sent) {
        expect(message).toMatchObject({ attempt: 0, rounds: 1 });
        expect(delaySeconds).toBeGreaterThanOrEqual(1);
      }
      slow.release();
      const notes = (await Promise.all(calls)).flat();
      expect(notes.filter((note) => 'deferred' in note)).toHaveLength(4);
      const after = await Promise.all(deliveries.map((delivery) => here.deliveryNow(delivery)));
      expect(after.filter(({ attemptsMade }) => attemptsMade === 0)).toHaveLength(4);
      const again = after.filter(({ status }) => status === 'pending').slice(0, cap);
      for (const delivery of again) expect(await call(here, delivery)).toMatchObject([{ outcome: 'delivered' }]);
    },
  );

  test.each([500, 410, 204])(
    'A webhook call releases its concurrency slot after an answer with status %i',
    async (statusCode) => {
      const here = await stage();
      const { url } = await receiver(answering(statusCode));
      for (let number = 0; number < 2 * callsPerOrganization; number += 1) {
        const notes = await call(here, await here.delivery(await here.webhook({ url })));
        expect(notes.some((note) => 'deferred' in note)).toBe(false);
      }
    },
  );

  test('A call of the sender uses only one concurrency slot for ten deliveries of the same organization', async () => {
    const here = await stage();
    const slow = await held();
    const deliveries = await many(here, 10, slow.url, 'ownWebhook');
    const slots = new CallSlots(WEBHOOK_CAPS);
    const calls = deliveries.map((delivery) => call(here, delivery, slots));
    await expect.poll(() => slow.waiting.length).toBe(10);
    const others = await many(here, callsPerOrganization - 1, slow.url, 'ownWebhook');
    calls.push(...others.map((delivery) => call(here, delivery)));
    await expect.poll(() => slow.waiting.length).toBe(10 + callsPerOrganization - 1);
    slow.release();
    expect((await Promise.all(calls)).flat().filter((note) => 'deferred' in note)).toEqual([]);
  });

  test('A sender whose process was killed keeps its concurrency slot only until the lease expires', async () => {
    const here = await stage();
    const { url } = await receiver();
    const killed = new Promise<never>(() => {});
    for (let number = 0; number < callsPerOrganization; number += 1) {
      void new CallSlots(WEBHOOK_CAPS).withSlot(here.services, { ...here, hookId: `killed-${number}` }, () => killed);
    }
    const [delivery] = await many(here, 1, url, 'ownWebhook');
    if (!delivery) throw new Error('Expected a delivery');
    await expect.poll(async () => (await call(here, delivery))[0]).toMatchObject({ outcome: 'deferred' });
    clock.advance(leaseMilliseconds - 1);
    expect(await call(here, delivery)).toMatchObject([{ outcome: 'deferred' }]);
    clock.advance(1);
    expect(await call(here, delivery)).toMatchObject([{ outcome: 'delivered' }]);
  });

  // For each postponement, the function sends a new message to itself. Lambda's recursive loop detection would stop
  // this after about 16 invocations, unless the function is allowed to trigger itself (test/infra/queues.test.ts).
  test('A delivery can be postponed forty times in a row without being lost or using up an attempt', async () => {
    const here = await stage();
    const slow = await held();
    const [delivery, ...others] = await many(here, 1 + callsPerOrganization, slow.url, 'ownWebhook');
    if (!delivery) throw new Error('Expected a delivery');
    const calls = others.map((other) => call(here, other));
    await expect.poll(() => slow.waiting.length).toBe(callsPerOrganization);
    let message = { ...jobOf(delivery), rounds: 0 };
    const slots = new CallSlots(WEBHOOK_CAPS);
    for (let round = 1; round <= 40; round += 1) {
      expect(await deliverWithSlot(message, { ...here.services, slots })).toMatchObject([{ outcome: 'deferred' }]);
      expect(here.sent).toHaveLength(round);
      message = { ...message, ...here.sent.at(-1)?.message };
    }
    expect(message).toMatchObject({ rounds: 40, attempt: 0 });
    slow.release();
    await Promise.all(calls);
    expect(await deliverWithSlot(message, { ...here.services, slots })).toMatchObject([{ outcome: 'delivered' }]);
    expect(await here.deliveryNow(delivery)).toMatchObject({ attemptsMade: 1, status: 'delivered' });
  });

  test('The lease of a concurrency slot lasts longer than the longest possible delivery', () => {
    expect(leaseMilliseconds).toBeGreaterThan(SENDING_LIMITS.deliveryMilliseconds);
  });

  test('A sender whose lease has expired does not release the concurrency slot that another sender has acquired since', async () => {
    const here = await stage();
    const key = { ...here, hookId: 'hook' };
    let endLate: (() => void) | undefined;
    const late = new CallSlots(WEBHOOK_CAPS).withSlot(here.services, key, async () => {
      await new Promise<void>((resolve) => {
        endLate = resolve;
      });
      return {};
    });
    await expect.poll(() => endLate).toBeDefined();
    clock.advance(leaseMilliseconds);
    const never = new Promise<never>(() => {});
    const holdForever = () =>
      new Promise<void>((begun) => {
        const act = () => {
          begun();
          return never;
        };
        void new CallSlots(WEBHOOK_CAPS).withSlot(here.services, key, act);
      });
    // These calls must begin before the first call of `refused`, which takes a slot for a moment, so that one of them
    // could find no free slot.
    await Promise.all(Array.from({ length: callsPerReceiver }, holdForever));
    const refused = async () =>
      (await new CallSlots(WEBHOOK_CAPS).withSlot(here.services, key, async () => ({}))) === undefined;
    expect(await refused()).toBe(true);
    endLate?.();
    await late;
    expect(await refused()).toBe(true);
  });
});
