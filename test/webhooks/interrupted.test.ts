import { describe, expect, test } from 'vitest';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock, logLines } from '#test/harness/service.ts';
import { orderOf, stage } from './stage.ts';

const refusing = { send: () => Promise.reject(new Error('The queue is not there')) };

describe('An attempt that is interrupted', () => {
  test.each([200, 500])(
    'before it is recorded is made again, with the same id and body: the answer was %i',
    async (statusCode) => {
      const here = await stage();
      const { url, received } = await receiver(answering(statusCode));
      const delivery = await here.delivery(await here.webhook({ url }));
      await expect(here.attempt(delivery, dyingAfter(here.services, 0))).rejects.toThrow('died');
      await here.attempt(delivery);
      expect(received).toHaveLength(2);
      expect(new Set(received.map(({ body, header }) => `${header('webhook-id')} ${body}`)).size).toBe(1);
      expect((await here.deliveryNow(delivery)).attemptsMade).toBe(1);
    },
  );

  test.each([1, 2])('after it is recorded is not made again, and the next one is: after %i writes', async (writes) => {
    const here = await stage();
    const { url, received } = await receiver(answering(500));
    const delivery = await here.delivery(await here.webhook({ url, failures: 4 }));
    await expect(here.attempt(delivery, dyingAfter(here.services, writes))).rejects.toThrow('died');
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'sentAgain' }]);
    const after = await here.deliveryNow(delivery);
    expect(here.sent).toEqual([{ order: orderOf(after), delaySeconds: expect.any(Number) }]);
    expect([received.length, after.attemptsMade]).toEqual([1, 1]);
  });

  test('before the queue takes the order of the next one is not the last', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500));
    const delivery = await here.delivery(await here.webhook({ url }));
    const attempt = here.attempt(delivery, { ...here.services, queue: refusing });
    await expect(attempt).rejects.toThrow('The queue is not there');
    clock.advance(3000);
    await here.attempt(delivery);
    expect(here.sent).toMatchObject([{ order: { attempt: 1 } }]);
    expect(here.sent[0]?.delaySeconds).toBeLessThanOrEqual(3);
  });

  test('whose next one is far away needs no order: it is in the table', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500));
    const delivery = await here.delivery(await here.webhook({ url }), { attemptsMade: 3, retry: 3 });
    await here.attempt(delivery, { ...here.services, queue: refusing });
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'stale' }]);
    expect([await here.due(), here.sent]).toMatchObject([[orderOf(await here.deliveryNow(delivery))], []]);
  });

  test('and was to find out whether the receiver is back lets another one do so, half a minute later', async () => {
    const here = await stage();
    const { url, received } = await receiver();
    const webhook = await here.webhook({ url, failures: 6, pausedUntil: Date.now() });
    const delivery = await here.delivery(webhook);
    await expect(here.attempt(delivery, dyingAfter(here.services, 1))).rejects.toThrow('died');
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'paused' }]);
    clock.advance(30_000);
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'delivered' }]);
    expect(received).toHaveLength(2);
  });
});

describe('An order that the queue gives out several times', () => {
  test.each([200, 500])('counts as one attempt: the answer is %i', async (statusCode) => {
    const here = await stage();
    const { url } = await receiver(answering(statusCode));
    const webhook = await here.webhook({ url });
    for (const retry of [0, 3]) {
      const delivery = await here.delivery(webhook, { attemptsMade: retry, retry });
      const notes = (await Promise.all(Array.from({ length: 4 }, () => here.attempt(delivery)))).flat();
      const counted = notes.filter((note) => 'delivered' in note || 'failed' in note);
      expect(counted).toHaveLength(1);
      expect((await here.deliveryNow(delivery)).attemptsMade).toBe(retry + 1);
    }
    expect((await here.webhookNow(webhook))?.failures).toBe(statusCode === 200 ? 0 : 2);
    expect((await here.due()).length).toBe(statusCode === 200 ? 0 : 1);
  });
});

describe('What is said of a delivery', () => {
  test('is ids and numbers: nothing that was sent, no secret, no URL', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500, {}, 'answered'));
    const secrets = [{ value: 'whsec_c2VjcmV0' }];
    const delivery = await here.delivery(await here.webhook({ url, headers: '{"X-Token":"in-a-header"}', secrets }));
    const [note] = await here.attempt(delivery);
    expect(Object.keys(note ?? {}).sort()).toEqual(
      [
        'attempt',
        'deliveryId',
        'event',
        'failed',
        'hookId',
        'latencyMs',
        'organizationId',
        'outcome',
        'runId',
        'statusCode',
      ].sort(),
    );
    expect(JSON.stringify([note, logLines])).not.toMatch(/in-a-header|in-the-query|whsec_|answered|buildId/);
  });
});
