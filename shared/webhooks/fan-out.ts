/** §6 Creates one delivery per webhook that subscribes to the event. Each delivery then proceeds independently. */

import type { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import { readListed } from '#shared/engine/table/listed.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { type Delivery, deliveries, deliveryIdOf } from '#shared/model/events/delivery.ts';
import type { GroupEvent, RunEnding } from '#shared/model/events/domain-event.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import type { RunEventName } from '#shared/model/events/run-event.ts';
import { type Webhook, webhooks, webhooksOfProject, webhooksSpan } from '#shared/model/events/webhook.ts';
import { runUrlOf } from '#shared/model/runs/run-url.ts';
import type { Services } from '#shared/services.ts';
import { WebhookBody } from './body-wire.ts';
import { deliveryExpiry } from './delivery-job.ts';

type Sender = Pick<Services, 'table' | 'now' | 'origin'> & { readonly queue: Pick<MessageQueue<DeliveryJob>, 'send'> };

/**
 * Creates the deliveries of an event and queues them. Idempotent. A repeated call creates no second delivery. If a
 * delivery has no attempts yet, a repeated call queues it again, because its job may have been lost.
 */
export async function fanOut(event: GroupEvent, { table, now, origin, queue }: Sender): Promise<readonly object[]> {
  const body = webhookBody(origin, event);
  const all = await readListed(table, webhooksOfProject, webhooksSpan(event), webhooks);
  const receivers = all.filter((webhook) => isSubscribed(webhook, body.event));
  const outcomes = await Promise.all(
    receivers.map((webhook) => table.put(deliveries, deliveryOf(webhook, { event, body, now: now() }), ABSENT)),
  );
  const jobs = outcomes
    .map((outcome) => (outcome.done ? outcome.item : outcome.existing))
    .filter((delivery) => delivery !== undefined)
    .filter(({ status, attemptsMade }) => status === 'pending' && attemptsMade === 0)
    .map(({ organizationId, hookId, deliveryId }) => ({ message: { organizationId, hookId, deliveryId, attempt: 0 } }));
  await queue.send(jobs);
  const { runId, groupId: group } = event;
  return [{ runId, group, event: body.event, receivers: receivers.length, jobs: jobs.length }];
}

const isSubscribed = ({ hookEvents, disabled }: Webhook, event: RunEventName): boolean =>
  !disabled && (hookEvents.length === 0 || hookEvents.includes(event));

interface Message {
  readonly event: GroupEvent;
  readonly body: WebhookBody;
  readonly now: number;
}

function deliveryOf({ hookId }: Webhook, { event, body, now }: Message): Delivery {
  const { organizationId, projectId, runId } = event;
  return {
    organizationId,
    projectId,
    hookId,
    deliveryId: deliveryIdOf(hookId, event, body.event),
    event: body.event,
    test: false,
    runId,
    groupId: body.groupId ?? null,
    body: JSON.stringify(WebhookBody.parse(body)),
    status: 'pending',
    attemptsMade: 0,
    retry: 0,
    attempts: [],
    createdAt: now,
    expiresAt: deliveryExpiry(now),
  };
}

// §6 Translates a domain event into the body that webhook receivers get.

const NAMES: Readonly<Record<RunEnding, RunEventName>> = {
  finish: 'RUN_FINISH',
  cancel: 'RUN_CANCELED',
  timeOut: 'RUN_TIMEOUT',
};

export const webhookBody = (origin: string, event: GroupEvent): WebhookBody => ({
  event: event.type === 'RunStarted' ? 'RUN_START' : NAMES[event.ending],
  runUrl: runUrlOf(origin, event),
  buildId: event.ciBuildId,
  ...(event.hasSeveralGroups ? { groupId: event.groupId } : {}),
  tags: event.tags,
  commit: event.commit,
  ...event.counters,
});
