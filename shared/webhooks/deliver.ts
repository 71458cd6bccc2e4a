/** §6 Delivers to webhooks. */
import { type Delivery, deliveries } from '#shared/model/delivery.ts';
import { dueDeliveries } from '#shared/model/due.ts';
import type { DeliveryJob } from '#shared/model/outbox-content.ts';
import { type Webhook, webhooks } from '#shared/model/webhook.ts';
import type { Connections } from './connections.ts';
import type { Network } from './exchange.ts';
import type { Line } from './line.ts';
import { type JobServices, runJob } from './run-job.ts';
import { send } from './send.ts';

export type Sender = JobServices &
  Network & {
    /** Keep-alive connections. Without them each request opens its own. */
    readonly connections?: Connections;
  };

/** Runs one delivery job of a webhook. */
export const deliver = (job: DeliveryJob, sender: Sender): Promise<readonly object[]> =>
  runJob(job, sender, lineOf(sender));

const lineOf = (sender: Sender): Line<Webhook, Delivery> => ({
  receivers: webhooks,
  deliveries,
  due: dueDeliveries,
  send: (webhook, delivery, now) => {
    const kept = sender.connections?.of(webhook.hookId, now);
    return send(messageOf(webhook, delivery, now), { ...sender, kept });
  },
});

const messageOf = ({ url, headers, secrets }: Webhook, { deliveryId, body }: Delivery, now: number) => ({
  id: deliveryId,
  url,
  headers,
  body,
  secrets: secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now).map(({ value }) => value),
});
