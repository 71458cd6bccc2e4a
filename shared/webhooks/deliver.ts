/** §6 Delivers to webhooks. */

import { dueDeliveries } from '#shared/model/due.ts';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { type Webhook, webhooks } from '#shared/model/events/webhook.ts';
import type { Connections } from '#shared/sending/connections.ts';
import type { DeliveryChannel } from '#shared/sending/delivery-channel.ts';
import type { Network } from '#shared/sending/exchange.ts';
import { type JobServices, runJob } from '#shared/sending/run-job.ts';
import { sendToWebhook } from './send.ts';

export type WebhookSender = JobServices &
  Network & {
    /** Keep-alive connections. Without them each request opens its own. */
    readonly connections?: Connections;
  };

export const deliver = (job: DeliveryJob, sender: WebhookSender): Promise<readonly object[]> =>
  runJob(job, sender, channelOf(sender));

const channelOf = (sender: WebhookSender): DeliveryChannel<Webhook, Delivery> => ({
  receivers: webhooks,
  deliveries,
  due: dueDeliveries,
  send: (webhook, delivery, now) => {
    const kept = sender.connections?.of(webhook.hookId, now);
    return sendToWebhook(messageOf(webhook, delivery, now), { ...sender, kept });
  },
});

const messageOf = ({ url, headers, secrets }: Webhook, { deliveryId, body }: Delivery, now: number) => ({
  id: deliveryId,
  url,
  headers,
  body,
  secrets: secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now).map(({ value }) => value),
});
