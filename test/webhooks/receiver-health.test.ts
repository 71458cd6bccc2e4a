import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { remove } from '#shared/engine/table/writes.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock } from '#test/harness/service.ts';
import { jobOf, type Stage, stage } from './stage.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** Starts a failing receiver, and creates a webhook whose last `failures` deliveries have failed. */
async function failing(here: Stage, failures: number, changes: Partial<Webhook> = {}) {
  const answers = { statusCode: 500 };
  const { url, received } = await receiver((response) => response.writeHead(answers.statusCode).end());
  const webhook = await here.webhook({
    url,
    failures,
    ...(failures > 0 ? { failingSince: Date.now() } : {}),
    ...changes,
  });
  return { webhook, received, answers, fail: async () => here.attempt(await here.delivery(webhook)) };
}

const pauseOf = async (here: Stage, webhook: Webhook) =>
  ((await here.webhookNow(webhook))?.pausedUntil ?? Number.NaN) - Date.now();

describe('the circuit breaker of a webhook', () => {
  test('opens for 30 seconds after five consecutive failures, and deliveries wait without using up attempts', async () => {
    const here = await stage();
    const { webhook, received, fail } = await failing(here, 0);
    for (let time = 1; time <= 5; time += 1) await fail();
    expect(await here.webhookNow(webhook)).toMatchObject({ failures: 5, failingSince: Date.now() });
    expect(await pauseOf(here, webhook)).toBe(30 * SECOND);
    clock.advance(10 * SECOND);
    const delivery = await here.delivery(webhook);
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'paused' }]);
    expect(here.sent).toEqual([{ message: jobOf(delivery), delaySeconds: 20 }]);
    expect(await here.deliveryNow(delivery)).toEqual(delivery);
    expect(received).toHaveLength(5);
  });

  test('stays closed until the fifth failure, and does not open for other webhooks', async () => {
    const here = await stage();
    const { webhook, fail } = await failing(here, 0);
    for (let time = 1; time <= 4; time += 1) await fail();
    expect(await here.webhookNow(webhook)).toMatchObject({ failures: 4 });
    expect(await here.webhookNow(webhook)).not.toHaveProperty('pausedUntil');
    await fail();
    const { url, received } = await receiver();
    await here.attempt(await here.delivery(await here.webhook({ url })));
    expect(received).toHaveLength(1);
  });

  test('lets only one delivery at a time probe the receiver after a pause', async () => {
    const here = await stage();
    const { webhook, received } = await failing(here, 5, { pausedUntil: Date.now() });
    const deliveries = [];
    for (let one = 0; one < 8; one += 1) deliveries.push(await here.delivery(webhook));
    const notes = (await Promise.all(deliveries.map((delivery) => here.attempt(delivery)))).flat();
    expect(received).toHaveLength(1);
    expect(notes.filter((note) => 'outcome' in note && note.outcome === 'paused')).toHaveLength(7);
    expect(here.sent).toHaveLength(8);
  });

  test('doubles the pause with every further failure, up to 15 minutes', async () => {
    const here = await stage();
    const { webhook, received, fail } = await failing(here, 4);
    await fail();
    const pauses: number[] = [];
    for (let time = 1; time <= 8; time += 1) {
      const pause = await pauseOf(here, webhook);
      pauses.push(pause / SECOND);
      clock.advance(pause);
      await fail();
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
    expect(received).toHaveLength(9);
  });

  test('closes after one successful delivery', async () => {
    const here = await stage();
    const { webhook, answers, fail } = await failing(here, 9, { pausedUntil: Date.now() });
    answers.statusCode = 204;
    expect(await fail()).toMatchObject([{ outcome: 'delivered' }]);
    const after = await here.webhookNow(webhook);
    expect(after).toMatchObject({ failures: 0, updatedAt: webhook.updatedAt });
    for (const member of ['pausedUntil', 'failingSince']) expect(after).not.toHaveProperty(member);
  });

  test('does not extend the pause when deliveries that were already in flight fail', async () => {
    const here = await stage();
    // The receiver answers only when all requests have arrived, so that all deliveries start before the first failure.
    const held: ServerResponse[] = [];
    const { url } = await receiver((response) => {
      held.push(response);
      if (held.length === 8) for (const one of held) one.writeHead(500).end();
    });
    const webhook = await here.webhook({ url, failures: 3 });
    const deliveries = [];
    for (let one = 0; one < 8; one += 1) deliveries.push(await here.delivery(webhook));
    await Promise.all(deliveries.map((delivery) => here.attempt(delivery)));
    expect(await here.webhookNow(webhook)).toMatchObject({ failures: 5 });
    expect(await pauseOf(here, webhook)).toBe(30 * SECOND);
  });
});

describe('a webhook', () => {
  test('is disabled when its receiver answers 410, and gets no more deliveries', async () => {
    const here = await stage();
    const { url, received } = await receiver(answering(410));
    const webhook = await here.webhook({ url });
    const first = await here.delivery(webhook);
    const second = await here.delivery(webhook);
    expect(await here.attempt(first)).toMatchObject([{ outcome: 'gone', failed: 1, disabled: 1 }]);
    expect(await here.webhookNow(webhook)).toMatchObject({ disabled: { at: Date.now(), reason: 'gone' } });
    expect(await here.attempt(second)).toMatchObject([{ outcome: 'dropped' }]);
    expect(received).toHaveLength(1);
    expect(await here.deliveryNow(first)).toMatchObject({ status: 'dropped', attempts: [{ statusCode: 410 }] });
    expect(await here.deliveryNow(second)).toMatchObject({ status: 'dropped', attempts: [] });
    expect(here.sent).toEqual([]);
  });

  test.each(['disabled by hand', 'deleted'])('gets no more deliveries after it has been %s', async (how) => {
    const here = await stage();
    const { url, received } = await receiver();
    const disabled = { at: Date.now(), reason: 'byHand' } as const;
    const webhook = await here.webhook({ url });
    const delivery = await here.delivery(webhook);
    if (how === 'deleted') await here.services.table.writeMany([remove(webhooks, webhook)]);
    else await here.services.table.put(webhooks, { ...webhook, disabled });
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'dropped' }]);
    expect(await here.deliveryNow(delivery)).toMatchObject({ status: 'dropped', attemptsMade: 0 });
    expect(received).toEqual([]);
  });
});

describe('a receiver that fails for five days', () => {
  test('A webhook is disabled after its receiver has failed for five days', async () => {
    const here = await stage();
    const { webhook, fail } = await failing(here, 3);
    clock.advance(5 * DAY - 1);
    await fail();
    expect(await here.webhookNow(webhook)).not.toHaveProperty('disabled');
    clock.advance(1);
    expect(await fail()).toMatchObject([{ outcome: 'failed', failed: 1, disabled: 1 }]);
    expect(await here.webhookNow(webhook)).toMatchObject({ disabled: { at: Date.now(), reason: 'failing' } });
  });

  test('A webhook stays enabled after six days with failures if one delivery succeeded in between', async () => {
    const here = await stage();
    const { webhook, answers, fail } = await failing(here, 3);
    clock.advance(4 * DAY);
    answers.statusCode = 200;
    await fail();
    clock.advance(2 * DAY);
    answers.statusCode = 500;
    await fail();
    expect(await here.webhookNow(webhook)).toMatchObject({ failures: 1, failingSince: Date.now() });
    expect(await here.webhookNow(webhook)).not.toHaveProperty('disabled');
  });
});

describe('a concurrent change of a webhook', () => {
  test.each([500, 410, 200])(
    'is not undone by a delivery that was sent before the change and is answered with %i',
    async (statusCode) => {
      const here = await stage();
      const { table } = here.services;
      const next = { url: 'https://example.com/', updatedAt: Date.now() + 1, failures: 3 };
      const { url } = await receiver(async (response) => {
        await table.put(webhooks, { ...webhook, ...next });
        response.writeHead(statusCode).end();
      });
      const webhook = await here.webhook({ url, failures: 4, failingSince: Date.now() - 6 * DAY });
      await here.attempt(await here.delivery(webhook));
      const after = await here.webhookNow(webhook);
      expect(after).toMatchObject(next);
      expect(after).not.toHaveProperty('disabled');
    },
  );

  test.each([500, 410, 200])(
    'A webhook stays deleted if it is deleted during a delivery that is answered with %i',
    async (statusCode) => {
      const here = await stage();
      const { url } = await receiver(async (response) => {
        await here.services.table.writeMany([remove(webhooks, webhook), remove(webhooksOfProject, webhook)]);
        response.writeHead(statusCode).end();
      });
      const webhook = await here.webhook({ url, failures: 7, failingSince: Date.now() - 6 * DAY });
      await here.attempt(await here.delivery(webhook));
      expect(await here.webhookNow(webhook)).toBeUndefined();
    },
  );
});
