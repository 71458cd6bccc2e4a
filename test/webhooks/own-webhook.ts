/** Creates a webhook in a table of its own, where no consumer runs its delivery jobs. */

import { type ApiActor, OPERATOR } from '#shared/access/actor.ts';
import { type Delivery, deliveries, getDeliveriesSpan } from '#shared/model/events/delivery.ts';
import { getOutboxSpan, OUTBOX_SHARDS, outbox } from '#shared/model/events/outbox.ts';
import type { OutboxContent } from '#shared/model/events/outbox-content.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import type { CoreServices } from '#shared/services.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { deliveryItem } from '#test/engine/http/sample-webhooks.ts';
import { ownTable } from '#test/harness/own-table.ts';

const INPUT = {
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
  const actor: ApiActor = { kind: 'apiKey', organizationId, keyId: 'key', label: 'CI', level: 'readWrite' };
  const created = await createWebhook(services, { organizationId, projectId, actor, input: INPUT });
  const { hookId } = created;
  const owner = { organizationId, hookId, actor };
  const store = async (more: Partial<Delivery>): Promise<Delivery> => {
    const item = deliveryItem({ ...owner, projectId }, { number: 1, createdAt: Date.now(), ...more });
    await services.table.put(deliveries, item);
    return item;
  };
  const listed = () => services.table.queryAll(deliveries, getDeliveriesSpan(owner), { consistent: true });
  return { services, of: owner, created, store, listed, jobs: () => jobsIn(services) };
}

async function jobsIn({ table }: CoreServices): Promise<OutboxContent[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => getOutboxSpan(shard, Number.MAX_SAFE_INTEGER));
  const rows = await Promise.all(shards.map((span) => table.queryAll(outbox, span, { consistent: true })));
  return rows.flat().map(({ content }) => content);
}

/** The content of the outbox row for one delivery attempt. */
export const jobFor = (
  { organizationId, hookId }: { organizationId: string; hookId: string },
  deliveryId: string,
  attempt: number,
) => ({
  kind: 'delivery',
  job: { organizationId, hookId, deliveryId, attempt },
});
