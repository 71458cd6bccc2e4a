/**
 * The way of an event from the outbox to its webhook, with the permissions that each function has. Not to the receiver: MiniStack
 * asks for the permission `sqs:SendMessageBatch`, which AWS does not have. There it is a part of `sqs:SendMessage`.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { type Delivery, deliveries, deliveriesSpan } from '#shared/resources/delivery.ts';
import { outbox } from '#shared/resources/outbox.ts';
import { webhooks, webhooksOfProject } from '#shared/resources/webhook.ts';
import type { Services } from '#shared/services.ts';
import { put } from '#shared/table/writes.ts';
import { eventsRow, rowsLeft, runEvent } from '../events/rows.ts';

/** By way of the table's stream, the event bus, a queue and two functions with their cold starts. */
const SECONDS = 60;

/** A row of the outbox leaves it, and becomes what is to be delivered to a webhook. */
export async function relayed({ table, now }: Services): Promise<void> {
  const ids = { organizationId: 'org-deployed', projectId: 'project-deployed', hookId: crypto.randomUUID() };
  const unused = { headers: null, label: null, hookEvents: [], secrets: [], failures: 0 };
  const webhook = { ...ids, ...unused, url: 'https://127.0.0.1/', createdAt: now(), updatedAt: now() };
  await table.writeMany([put(webhooks, webhook), put(webhooksOfProject, ids)]);
  const { organizationId, projectId } = ids;
  await table.put(outbox, eventsRow({ ...runEvent('run-deployed'), organizationId, projectId }));
  const deadline = now() + SECONDS * 1000;
  const look = async (): Promise<Delivery | undefined> => (await table.queryAll(deliveries, deliveriesSpan(ids)))[0];
  let delivery = await look();
  while (!delivery && now() < deadline) {
    await wait(200);
    delivery = await look();
  }
  assert.deepEqual(await rowsLeft(table), [], 'The relay took nothing out of the outbox');
  assert.equal(delivery?.event, 'RUN_START', 'The event did not come to its webhook');
}
