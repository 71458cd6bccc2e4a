/** §6 Creates one delivery per webhook that subscribes to the event. Each delivery then proceeds independently. */
import { readListedItems } from '#shared/engine/table/listed.ts';
import { type Delivery, deliveries, deriveDeliveryId } from '#shared/model/events/delivery.ts';
import type { GroupEvent, RunEnding } from '#shared/model/events/domain-event.ts';
import type { RunEventName } from '#shared/model/events/run-event.ts';
import { getWebhooksSpan, type Webhook, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { type JobServices, makeDeliveryState, queueDeliveries } from '#shared/sending/queue-deliveries.ts';
import type { Services } from '#shared/services.ts';
import { WebhookBody } from './body-wire.ts';
import { WEBHOOK_LIMITS } from './limits.ts';

type FanOutServices = JobServices & Pick<Services, 'origin'>;

/** What the log says about an event. */
interface FanOutNote {
  readonly runId: string;
  readonly group: string;
  readonly event: RunEventName;
  readonly receivers: number;
  readonly jobs: number;
}

/** A repeated event creates no second delivery, because the id of a delivery is derived from the webhook and the event. */
export async function fanOutWebhooks(event: GroupEvent, services: FanOutServices): Promise<readonly FanOutNote[]> {
  const body = toWebhookBody(services.origin, event);
  const all = await readListedItems(services.table, webhooksOfProject, getWebhooksSpan(event), webhooks);
  const receivers = all.filter((webhook) => isSubscribed(webhook, body.event));
  const newDeliveries = receivers.map((webhook) => makeDelivery(webhook, { event, body, now: services.now() }));
  const jobs = await queueDeliveries(services, deliveries, newDeliveries);
  const { runId, groupId: group } = event;
  return [{ runId, group, event: body.event, receivers: receivers.length, jobs }];
}

const isSubscribed = ({ hookEvents, disabled }: Webhook, event: RunEventName): boolean =>
  !disabled && (hookEvents.length === 0 || hookEvents.includes(event));

interface DeliveryContent {
  readonly event: GroupEvent;
  readonly body: WebhookBody;
  readonly now: number;
}

function makeDelivery({ hookId }: Webhook, { event, body, now }: DeliveryContent): Delivery {
  const { organizationId, projectId, runId } = event;
  return {
    organizationId,
    projectId,
    hookId,
    deliveryId: deriveDeliveryId(hookId, event, body.event),
    event: body.event,
    test: false,
    runId,
    groupId: body.groupId ?? null,
    // Parsed to keep only the documented members, in their order, also if an event of a later version has more.
    body: JSON.stringify(WebhookBody.parse(body)),
    ...makeDeliveryState(now, WEBHOOK_LIMITS.deliveryDays),
  };
}

const ENDING_EVENTS: Readonly<Record<RunEnding, RunEventName>> = {
  finish: 'RUN_FINISH',
  cancel: 'RUN_CANCELED',
  timeOut: 'RUN_TIMEOUT',
};

export const toWebhookBody = (origin: string, event: GroupEvent): WebhookBody => ({
  event: event.type === 'RunStarted' ? 'RUN_START' : ENDING_EVENTS[event.ending],
  runUrl: getRunUrl(origin, event),
  buildId: event.ciBuildId,
  ...(event.hasSeveralGroups ? { groupId: event.groupId } : {}),
  tags: event.tags,
  commit: event.commit,
  ...event.counters,
  runId: event.runId,
  projectId: event.projectId,
  status: event.status,
});
