/** One webhook on a table that nobody else works on, so that no order is carried out meanwhile. */
import { OPERATOR } from '#shared/organizations/actor.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { type Delivery, deliveries, deliveriesSpan } from '#shared/resources/delivery.ts';
import { OUTBOX_SHARDS, type OutboxContent, outbox, outboxSpan } from '#shared/resources/outbox.ts';
import type { Administration } from '#shared/services.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { ownTable } from '#test/harness/own-table.ts';
import { deliveryItem } from '#test/http/sample-webhooks.ts';

const WISH = {
  url: 'https://receiver.invalid/t0ken',
  headers: '{"X-Token":"s3cret"}',
  hookEvents: [],
  label: 'Chat',
  signed: true,
};

export type OwnWebhook = Awaited<ReturnType<typeof ownWebhook>>;

export async function ownWebhook() {
  const table = (await ownTable()).services;
  const services = { ...table, origin: 'https://rundown.invalid', privateReceivers: 'none' as const };
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

/** What the outbox holds for an attempt. */
export const orderFor = (
  { organizationId, hookId }: { organizationId: string; hookId: string },
  deliveryId: string,
  attempt: number,
) => ({
  kind: 'delivery',
  order: { organizationId, hookId, deliveryId, attempt },
});
