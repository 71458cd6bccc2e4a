/** What is written beside the answers: on a table that nobody else works on, so that no order is carried out meanwhile. */
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/organizations/actor.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { auditRecords, auditSpan } from '#shared/resources/audit-record.ts';
import { type Delivery, deliveries, deliveriesSpan } from '#shared/resources/delivery.ts';
import { OUTBOX_SHARDS, type OutboxContent, outbox, outboxSpan } from '#shared/resources/outbox.ts';
import { webhooks } from '#shared/resources/webhook.ts';
import type { Administration } from '#shared/services.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { deleteWebhook } from '#shared/webhooks/delete-webhook.ts';
import { redeliver } from '#shared/webhooks/redeliver.ts';
import { deleteSecret, rotateSecret } from '#shared/webhooks/rotate-secret.ts';
import { sendTest } from '#shared/webhooks/send-test.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';
import { dyingAfter, interruptedAt } from '#test/harness/interrupted-table.ts';
import { ownTable } from '#test/harness/own-table.ts';
import { deliveryItem } from '#test/http/sample-webhooks.ts';

const MINUTE = 60_000;
const WISH = {
  url: 'https://receiver.invalid/t0ken',
  headers: '{"X-Token":"s3cret"}',
  hookEvents: [],
  label: 'Chat',
  signed: true,
};

async function stage() {
  const table = (await ownTable()).services;
  const services = { ...table, origin: 'https://rundown.invalid', privateReceivers: false };
  const { organizationId } = await createOrganization(services, { name: 'Acme', actor: OPERATOR });
  const { projectId } = await createProject(services, { organizationId, name: 'Shop', actor: OPERATOR });
  const created = await createWebhook(services, { organizationId, projectId, actor: 'API key CI', wish: WISH });
  const { hookId } = created;
  const of = { organizationId, hookId, actor: 'API key CI' };
  const store = async (more: Partial<Delivery>): Promise<Delivery> => {
    const item = deliveryItem({ ...of, projectId }, { number: 1, createdAt: Date.now(), ...more });
    await services.table.put(deliveries, item);
    return item;
  };
  const listed = () => services.table.queryAll(deliveries, deliveriesSpan(of), { consistent: true });
  return { services, of, created, store, listed, orders: () => ordersIn(services) };
}

async function ordersIn({ table }: Administration): Promise<OutboxContent[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => outboxSpan(shard, Number.MAX_SAFE_INTEGER));
  const rows = await Promise.all(shards.map((span) => table.queryAll(outbox, span, { consistent: true })));
  return rows.flat().map(({ content }) => content);
}

const orderFor = (
  { organizationId, hookId }: { organizationId: string; hookId: string },
  deliveryId: string,
  attempt: number,
) => ({
  kind: 'delivery',
  order: { organizationId, hookId, deliveryId, attempt },
});

describe('A test event', () => {
  test('is written with its order, both or neither', async () => {
    const { services, of, listed, orders } = await stage();
    await expect(sendTest(dyingAfter(services, 0), of)).rejects.toThrow('died');
    expect([await listed(), await orders()]).toEqual([[], []]);
    const { deliveryId } = await sendTest(services, of);
    expect(await listed()).toMatchObject([{ deliveryId, status: 'pending', retry: 0, attemptsMade: 0 }]);
    expect(await orders()).toEqual([orderFor(of, deliveryId, 0)]);
  });

  test('is kept for thirty days', async () => {
    const { services, of, listed } = await stage();
    await sendTest(services, of);
    expect((await listed())[0]?.expiresAt).toBe((Date.now() + 30 * 86_400_000) / 1000);
  });

  test('is not ordered from a webhook that is disabled or deleted at that moment', async () => {
    for (const meanwhile of ['disable', 'delete'] as const) {
      const { services, of, listed, orders } = await stage();
      const act = () =>
        meanwhile === 'delete'
          ? deleteWebhook(services, of)
          : services.table.update(webhooks, of, { set: [['disabled', { at: Date.now(), reason: 'gone' }]] });
      const interrupted = interruptedAt(services, 1, act);
      const trying = sendTest({ ...services, ...interrupted.services }, of);
      await expect(trying).rejects.toThrow(meanwhile === 'delete' ? 'Webhook not found' : 'Enable it first');
      expect([await listed(), await orders()]).toEqual([[], []]);
    }
  });
});

describe('A webhook that is enabled again', () => {
  test('starts with a clean slate and one test event, however often and by however many that is asked for', async () => {
    const { services, of, listed, orders } = await stage();
    const bad = { failures: 9, failingSince: 1, pausedUntil: 2, disabled: { at: 3, reason: 'failing' } };
    await services.table.update(webhooks, of, { set: Object.entries(bad) });
    const enable = () => updateWebhook(services, { ...of, wish: { enabled: true, hookEvents: ['RUN_TIMEOUT'] } });
    await Promise.all([enable(), enable(), enable()]);
    await enable();
    const webhook = await services.table.get(webhooks, of);
    expect(webhook).toMatchObject({ failures: 0, hookEvents: ['RUN_TIMEOUT'] });
    for (const member of ['failingSince', 'pausedUntil', 'disabled']) expect(webhook).not.toHaveProperty(member);
    const [delivery, ...others] = await listed();
    expect([delivery?.event, delivery?.test, others]).toEqual(['RUN_TIMEOUT', true, []]);
    expect(await orders()).toEqual([orderFor(of, delivery?.deliveryId ?? '', 0)]);
  });

  test('gets no test event where it was enabled all the time', async () => {
    const { services, of, orders } = await stage();
    await updateWebhook(services, { ...of, wish: { enabled: true, url: 'https://other.invalid' } });
    expect(await orders()).toEqual([]);
  });
});

describe('A delivery that is sent again by hand', () => {
  test('begins the schedule anew with the attempt that is next, and is kept for another thirty days', async () => {
    const { services, of, store, listed, orders } = await stage();
    const before = await store({ status: 'exhausted', attemptsMade: 8, retry: 7 });
    vi.setSystemTime(Date.now() + 7 * 86_400_000);
    await redeliver(services, { ...of, deliveryId: before.deliveryId });
    const now = Date.now();
    const again = { status: 'pending', retry: 0, nextAttemptAt: now, expiresAt: now / 1000 + 30 * 86_400 };
    expect(await listed()).toMatchObject([{ ...before, ...again }]);
    expect(await orders()).toEqual([orderFor(of, before.deliveryId, 8)]);
  });

  test('is ordered once, however many ask at once or again', async () => {
    const { services, of, store, orders } = await stage();
    const { deliveryId } = await store({});
    const again = () => redeliver(services, { ...of, deliveryId });
    await Promise.all([again(), again(), again()]);
    expect(await again()).toMatchObject({ deliveryId, status: 'pending' });
    expect(await orders()).toHaveLength(1);
  });

  test.each([
    ['is under way', -1, 0],
    ['waits for its next attempt', 1, 1],
    ['was lost on its way long ago', -15 * MINUTE, 1],
  ])('if it %s: %j ms from when it is due, %j orders', async (_, due, expected) => {
    const { services, of, store, listed, orders } = await stage();
    const before = await store({ status: 'pending', attemptsMade: 3, retry: 3, nextAttemptAt: Date.now() + due });
    const answer = await redeliver(services, { ...of, deliveryId: before.deliveryId });
    expect(await orders()).toEqual(Array(expected).fill(orderFor(of, before.deliveryId, 3)));
    expect(await listed()).toMatchObject([
      expected === 0 ? before : { ...before, retry: 0, nextAttemptAt: Date.now() },
    ]);
    expect(answer.status).toBe('pending');
  });

  test('keeps the attempt that was made at that moment, and is ordered for the one after it', async () => {
    const { services, of, store, listed, orders } = await stage();
    const { deliveryId } = await store({ status: 'pending', attemptsMade: 1, nextAttemptAt: Date.now() + 1 });
    const attempted = interruptedAt(services, 2, () => store({ status: 'exhausted', attemptsMade: 2 }));
    await redeliver(attempted.services, { ...of, deliveryId });
    expect(attempted.happened()).toBe(true);
    expect(await listed()).toMatchObject([{ attemptsMade: 2, status: 'pending' }]);
    expect(await orders()).toEqual([orderFor(of, deliveryId, 2)]);
  });
});

describe('§5 The audit record', () => {
  test('tells of each change of a webhook who made it, and never a URL, a header or a secret', async () => {
    const { services, of, created } = await stage();
    const again = { ...of, wish: { label: 'Chat' } };
    await updateWebhook(services, { ...of, wish: { url: 'https://other.invalid/t0ken', headers: { A: 's3cret' } } });
    await updateWebhook(services, again);
    await updateWebhook(services, { ...of, wish: { enabled: false } });
    await updateWebhook(services, { ...of, wish: { enabled: true, label: null } });
    const { signingSecret } = await rotateSecret(services, of);
    await deleteSecret(services, of);
    await deleteSecret(services, of);
    await sendTest(services, of);
    await deleteWebhook(services, of);
    const records = await services.table.queryAll(auditRecords, auditSpan(of), { consistent: true });
    const told = records.filter(({ subject }) => subject === of.hookId);
    expect(told.map(({ actor, action, detail }) => [actor, action, detail]).sort()).toEqual([
      ['API key CI', 'webhook changed', 'disabled'],
      ['API key CI', 'webhook changed', 'label, enabled'],
      ['API key CI', 'webhook changed', 'url, headers'],
      ['API key CI', 'webhook created', `project ${created.projectId}`],
      ['API key CI', 'webhook deleted', `project ${created.projectId}`],
      ['API key CI', 'webhook secret deleted', ''],
      ['API key CI', 'webhook secret rotated', ''],
    ]);
    for (const secret of ['t0ken', 's3cret', signingSecret, created.signingSecret ?? '?']) {
      expect(JSON.stringify(records)).not.toContain(secret);
    }
  });
});
