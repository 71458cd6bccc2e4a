import { describe, expect, test } from 'vitest';
import { deliveries, deliveriesSpan } from '#shared/resources/delivery.ts';
import type { Webhook } from '#shared/resources/webhook.ts';
import { fanOut } from '#shared/webhooks/fan-out.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock } from '#test/harness/service.ts';
import { runEvent, type Stage, stage } from './stage.ts';

const deliveriesOf = ({ services }: Stage, webhook: Webhook) =>
  services.table.queryAll(deliveries, deliveriesSpan(webhook), { consistent: true });

describe('An event of a run', () => {
  test('§6 is delivered once to every webhook of its project that wants it, and to no other', async () => {
    const here = await stage();
    const other = await here.tenant('Other');
    const [all, one] = [await here.webhook(), await here.webhook({ hookEvents: ['RUN_START', 'RUN_FINISH'] })];
    const others = [
      await here.webhook({ hookEvents: ['RUN_START', 'RUN_TIMEOUT', 'RUN_CANCELED'] }),
      await here.webhook({ disabled: { at: Date.now(), reason: 'byHand' } }),
      await here.webhook({ projectId: 'another' }),
      await here.webhook({ organizationId: other.organizationId, projectId: other.projectId }),
    ];
    const event = runEvent(here);
    expect(await fanOut(event, here.services)).toEqual([
      { runId: event.runId, group: 'default', event: 'RUN_FINISH', receivers: 2, orders: 2 },
    ]);
    for (const webhook of [all, one]) expect(await deliveriesOf(here, webhook)).toHaveLength(1);
    for (const webhook of others) expect(await deliveriesOf(here, webhook)).toEqual([]);
    expect(here.sent.map(({ order }) => order.hookId).sort()).toEqual([all.hookId, one.hookId].sort());
  });

  test('§6 makes a body of the members that the specification has, and nothing else', async () => {
    const here = await stage();
    const webhook = await here.webhook();
    const event = runEvent(here);
    const more = { ...event.payload, groupId: 'firefox', organizationId: here.organizationId };
    await fanOut({ ...event, payload: more }, here.services);
    const [delivery] = await deliveriesOf(here, webhook);
    expect(JSON.parse(delivery?.body ?? '')).toEqual({ ...event.payload, groupId: 'firefox' });
    expect(delivery).toMatchObject({ event: 'RUN_FINISH', runId: event.runId, groupId: 'firefox', test: false });
  });

  test('§6 makes a body without a group where the run has one group only', async () => {
    const here = await stage();
    const webhook = await here.webhook();
    await fanOut(runEvent(here), here.services);
    const [delivery] = await deliveriesOf(here, webhook);
    expect(JSON.parse(delivery?.body ?? '')).not.toHaveProperty('groupId');
    expect(delivery?.groupId).toBeNull();
  });

  test('makes one delivery, with one id, however often it comes, and each group and event one of its own', async () => {
    const here = await stage();
    const webhook = await here.webhook();
    const event = runEvent(here);
    await Promise.all(Array.from({ length: 5 }, () => fanOut(event, here.services)));
    clock.advance(60_000);
    await fanOut(event, here.services);
    expect(await deliveriesOf(here, webhook)).toHaveLength(1);
    await fanOut({ ...event, group: 'firefox' }, here.services);
    await fanOut({ ...event, payload: { ...event.payload, event: 'RUN_START' } }, here.services);
    const made = await deliveriesOf(here, webhook);
    expect(new Set(made.map(({ deliveryId }) => deliveryId)).size).toBe(3);
    for (const { deliveryId } of made) expect(deliveryId).toMatch(/^msg_[0-9a-v]{9}[0-9a-f]{24}$/);
  });

  test('that comes again is ordered again while nothing was attempted, and never afterwards', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500));
    const webhook = await here.webhook({ url });
    const event = runEvent(here);
    await fanOut(event, here.services);
    await fanOut(event, here.services);
    expect(here.sent.map(({ order }) => order.attempt)).toEqual([0, 0]);
    const [delivery] = await deliveriesOf(here, webhook);
    if (!delivery) throw new Error('No delivery was made');
    await here.attempt(delivery);
    here.sent.length = 0;
    expect(await fanOut(event, here.services)).toMatchObject([{ receivers: 1, orders: 0 }]);
    expect(here.sent).toEqual([]);
  });

  test('is not lost when the queue takes no orders: it fails, and comes again', async () => {
    const here = await stage();
    await here.webhook();
    const event = runEvent(here);
    const refusing = { send: () => Promise.reject(new Error('The queue is not there')) };
    await expect(fanOut(event, { ...here.services, queue: refusing })).rejects.toThrow('The queue is not there');
    await fanOut(event, here.services);
    expect(here.sent).toHaveLength(1);
  });

  test('is kept for 30 days', async () => {
    const here = await stage();
    const { createdAt, expiresAt } = await here.delivery(await here.webhook());
    expect([createdAt, expiresAt]).toEqual([Date.now(), Date.now() / 1000 + 30 * 24 * 3600]);
  });
});
