import { describe, expect, test, vi } from 'vitest';
import { answering, receiver } from '#test/harness/receiver.ts';
import { deliverEvents } from '#test/harness/service.ts';
import { fillIn, valuesOf } from './form-of.ts';
import { place, secretIn, withWebhook } from './webhook-stage.ts';

deliverEvents();

describe('§6 The signing secret of a webhook', () => {
  test('The signing secret of a webhook is rotated once even if the form is sent four times, is shown once, and is deleted after a confirmation', async () => {
    const { admin, at, read } = await withWebhook();
    const form = valuesOf(await admin.get(`${at}/secret`));
    const answers = await Promise.all(Array.from({ length: 4 }, () => admin.post(`${at}/secret`, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.filter((answer) => secretIn(answer) !== 'no secret')).toHaveLength(1);
    expect(await read()).toMatchObject({ signed: true });
    const rotated = await fillIn(admin, `${at}/secret`, {});
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    expect((await admin.get(`${at}/secret`)).text).toContain('For 24 hours, requests are signed with both');
    expect((await admin.get(`${at}/secret/delete`)).text).toContain('no longer be signed');
    expect(place(await admin.post(`${at}/secret/delete`))).toBe(at);
    expect(await read()).toMatchObject({ signed: false });
  });
});

describe('§6 The deliveries of a webhook', () => {
  test('The deliveries of a webhook show what was sent and how the receiver answered, as plain text', async () => {
    // Uses the real clock, because the retries of deliveries wait for real time to pass.
    vi.useRealTimers();
    const target = await receiver(answering(500, {}, '<script>alert(1)</script>'));
    const { admin, at, deliveries } = await withWebhook({ url: target.url });
    expect(place(await admin.post(`${at}/test`))).toBe(at);
    await expect.poll(async () => (await deliveries())[0]?.attemptsMade).toBeGreaterThan(0);
    const shown = await admin.get(at);
    expect(shown.text).toMatch(/failed, will be retried.*next attempt/);
    expect(shown.text).toContain('RUN_FINISH (test)');
    expect(shown.text).toContain('<script>alert(1)</script>');
    expect(shown.html).not.toContain('<script>alert(1)');
    expect(shown.text).toMatch(/500 after [\d.]+ m?s/);
    expect(shown.text).toContain('webhook-test');
  });

  test('The deliveries of a webhook can be sent again with the same id', async () => {
    vi.useRealTimers();
    const target = await receiver();
    const { admin, at, deliveries } = await withWebhook({ url: target.url });
    await admin.post(`${at}/test`);
    await expect.poll(async () => (await deliveries())[0]?.status).toBe('delivered');
    const [{ deliveryId }] = await deliveries();
    expect(place(await admin.post(`${at}/deliveries/${deliveryId}/redeliver`))).toBe(at);
    await expect.poll(() => target.received.length).toBe(2);
    expect(new Set(target.received.map(({ header }) => header('webhook-id')))).toEqual(new Set([deliveryId]));
  });

  test('The deliveries of a webhook are listed ten per page', async () => {
    const { admin, at, deliveries } = await withWebhook();
    for (let sent = 0; sent < 11; sent += 1) await admin.post(`${at}/test`);
    expect(await deliveries()).toHaveLength(10);
    const first = await admin.get(at);
    const older = first.links.find((link) => link.includes('starting_after')) ?? '';
    const second = await admin.get(older);
    expect(second.text.split('RUN_FINISH (test)')).toHaveLength(2);
    expect(second.text).toContain('Newer');
  });
});
