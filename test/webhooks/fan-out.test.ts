import { describe, expect, test } from 'vitest';
import { deliveries, getDeliveriesSpan } from '#shared/model/events/delivery.ts';
import type { Webhook } from '#shared/model/events/webhook.ts';
import { fanOutWebhooks } from '#shared/webhooks/fan-out.ts';
import { answering, receiver } from '#test/harness/receiver.ts';
import { clock } from '#test/harness/service.ts';
import { runEvent, type Stage, stage } from './stage.ts';

const deliveriesOf = ({ services }: Stage, webhook: Webhook) =>
  services.table.queryAll(deliveries, getDeliveriesSpan(webhook), { consistent: true });

describe('§6 the fan-out of a run event', () => {
  test('The fan-out of a run event creates one delivery per subscribed webhook of the project, and none for other webhooks', async () => {
    const here = await stage();
    const other = await here.tenant('Other');
    const all = await here.webhook();
    const created = await here.webhook({ hookEvents: ['RUN_START', 'RUN_FINISH'] });
    const others = [
      await here.webhook({ hookEvents: ['RUN_START', 'RUN_TIMEOUT', 'RUN_CANCELED'] }),
      await here.webhook({ disabled: { at: Date.now(), reason: 'byHand' } }),
      await here.webhook({ projectId: 'another' }),
      await here.webhook({ organizationId: other.organizationId, projectId: other.projectId }),
    ];
    const event = runEvent(here);
    expect(await fanOutWebhooks(event, here.services)).toEqual([
      { runId: event.runId, group: 'default', event: 'RUN_FINISH', receivers: 2, jobs: 2 },
    ]);
    for (const webhook of [all, created]) expect(await deliveriesOf(here, webhook)).toHaveLength(1);
    for (const webhook of others) expect(await deliveriesOf(here, webhook)).toEqual([]);
    expect(here.sent.map(({ message }) => message.hookId).sort()).toEqual([all.hookId, created.hookId].sort());
  });

  test('The fan-out of a run event gives a delivery a body with exactly the specified properties', async () => {
    const here = await stage();
    const webhook = await here.webhook();
    const event = { ...runEvent(here), groupId: 'firefox', hasSeveralGroups: true };
    await fanOutWebhooks(event, here.services);
    const [delivery] = await deliveriesOf(here, webhook);
    expect(JSON.parse(delivery?.body ?? '')).toEqual({
      event: 'RUN_FINISH',
      runUrl: `${here.services.origin}/${event.organizationId}/${event.projectId}/runs/${event.runId}`,
      buildId: 'build 1',
      groupId: 'firefox',
      tags: ['smoke'],
      commit: event.commit,
      ...event.counters,
      runId: event.runId,
      projectId: event.projectId,
      status: 'FAILED',
    });
    expect(delivery).toMatchObject({ event: 'RUN_FINISH', runId: event.runId, groupId: 'firefox', test: false });
  });

  test('A body says nothing about the status of a run whose event an earlier version stored', async () => {
    const here = await stage();
    const webhook = await here.webhook();
    const { status: _, ...event } = runEvent(here);
    await fanOutWebhooks(event, here.services);
    const [delivery] = await deliveriesOf(here, webhook);
    expect(JSON.parse(delivery?.body ?? '')).not.toHaveProperty('status');
  });

  test('The fan-out of a run event omits the group from the body if the run has only one group', async () => {
    const here = await stage();
    const webhook = await here.webhook();
    await fanOutWebhooks(runEvent(here), here.services);
    const [delivery] = await deliveriesOf(here, webhook);
    expect(JSON.parse(delivery?.body ?? '')).not.toHaveProperty('groupId');
    expect(delivery?.groupId).toBeNull();
  });

  test('The fan-out of a run event is idempotent: a repeated event of a group creates no second delivery', async () => {
    const here = await stage();
    const webhook = await here.webhook();
    const event = runEvent(here);
    await Promise.all(Array.from({ length: 5 }, () => fanOutWebhooks(event, here.services)));
    clock.advance(60_000);
    await fanOutWebhooks(event, here.services);
    expect(await deliveriesOf(here, webhook)).toHaveLength(1);
    await fanOutWebhooks({ ...event, groupId: 'firefox' }, here.services);
    const { ending: _, ...facts } = event;
    await fanOutWebhooks({ ...facts, type: 'RunStarted' }, here.services);
    const made = await deliveriesOf(here, webhook);
    expect(new Set(made.map(({ deliveryId }) => deliveryId)).size).toBe(3);
    for (const { deliveryId } of made) expect(deliveryId).toMatch(/^msg_[0-9a-v]{9}[0-9a-f]{24}$/);
  });

  test('The fan-out of a run event queues the delivery job of a repeated event again only if no delivery attempt has been made yet', async () => {
    const here = await stage();
    const { url } = await receiver(answering(500));
    const webhook = await here.webhook({ url });
    const event = runEvent(here);
    await fanOutWebhooks(event, here.services);
    await fanOutWebhooks(event, here.services);
    expect(here.sent.map(({ message }) => message.attempt)).toEqual([0, 0]);
    const [delivery] = await deliveriesOf(here, webhook);
    if (!delivery) throw new Error('Expected a delivery');
    await here.attempt(delivery);
    here.sent.length = 0;
    expect(await fanOutWebhooks(event, here.services)).toMatchObject([{ receivers: 1, jobs: 0 }]);
    expect(here.sent).toEqual([]);
  });

  test('The fan-out of a run event fails if the queue refuses the delivery job, and queues the job when the fan-out is repeated', async () => {
    const here = await stage();
    await here.webhook();
    const event = runEvent(here);
    const refusing = { send: () => Promise.reject(new Error('The queue is gone')) };
    await expect(fanOutWebhooks(event, { ...here.services, queue: refusing })).rejects.toThrow('The queue is gone');
    await fanOutWebhooks(event, here.services);
    expect(here.sent).toHaveLength(1);
  });

  test('The fan-out of a run event keeps a delivery for 30 days', async () => {
    const here = await stage();
    const { createdAt, expiresAt } = await here.delivery(await here.webhook());
    expect([createdAt, expiresAt]).toEqual([Date.now(), Date.now() / 1000 + 30 * 24 * 3600]);
  });
});
