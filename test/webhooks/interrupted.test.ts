import { describe, expect, test } from 'vitest';
import { dyingAfter, mortal } from '#test/harness/interrupted-table.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock, logLines } from '#test/harness/service.ts';
import { jobOf, stage } from './stage.ts';

const refusing = { send: () => Promise.reject(new Error('The queue is gone')) };

describe('an interrupted delivery attempt', () => {
  test.each([200, 500])(
    'is repeated with the same id and body if the attempt was not recorded (answer %i)',
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

  test('is not repeated if the attempt was recorded, and the next attempt follows', async () => {
    const here = await stage();
    const { url, received } = await receiver(answering(500));
    const delivery = await here.delivery(await here.webhook({ url, failures: 4 }));
    // The process dies after its first write, which records the attempt and the failure of the webhook. The second
    // write would queue the next job.
    await expect(here.attempt(delivery, mortal(here.services, 1).services)).rejects.toThrow('died');
    expect((await here.webhookNow(delivery))?.failures).toBe(5);
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'sentAgain' }]);
    const after = await here.deliveryNow(delivery);
    expect(here.sent).toEqual([{ message: jobOf(after), delaySeconds: expect.any(Number) }]);
    expect([received.length, after.attemptsMade]).toEqual([1, 1]);
  });

  test('is followed by another attempt even if the next job could not be queued', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500));
    const delivery = await here.delivery(await here.webhook({ url }));
    const attempt = here.attempt(delivery, { ...here.services, queue: refusing });
    await expect(attempt).rejects.toThrow('The queue is gone');
    clock.advance(3000);
    await here.attempt(delivery);
    expect(here.sent).toMatchObject([{ message: { attempt: 1 } }]);
    expect(here.sent[0]?.delaySeconds).toBeLessThanOrEqual(3);
  });

  test('needs no new job if the next attempt is already in the index of due deliveries', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500));
    const delivery = await here.delivery(await here.webhook({ url }), { attemptsMade: 3, retry: 3 });
    await here.attempt(delivery, { ...here.services, queue: refusing });
    expect(await here.attempt(delivery)).toMatchObject([{ outcome: 'stale' }]);
    expect([await here.due(), here.sent]).toMatchObject([[jobOf(await here.deliveryNow(delivery))], []]);
  });

  test('If an interrupted delivery attempt was a probe of the receiver, the receiver can be probed again after half a minute', async () => {
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

describe('a delivery job that the queue delivers more than once', () => {
  test.each([200, 500])('counts as only one attempt (answer %i)', async (statusCode) => {
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

describe('the log of a delivery', () => {
  test('contains ids, numbers, the event and the outcome, but no request content, answer, secret or URL', async () => {
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
