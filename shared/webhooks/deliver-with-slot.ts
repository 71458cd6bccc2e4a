/**
 * §6 Delivers if the organization and the receiver have a free slot for a call. Otherwise the job returns to the queue
 * with a short delay.
 */
import type * as z from 'zod';
import type { CallSlots, Caps } from '#shared/fair-shares/call-slots.ts';
import { Rounds, runWithSlot } from '#shared/fair-shares/with-slot.ts';
import { dueDeliveries } from '#shared/model/due.ts';
import { type Delivery, deliveries } from '#shared/model/events/delivery.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { type Webhook, webhooks } from '#shared/model/events/webhook.ts';
import type { Connections } from '#shared/sending/connections.ts';
import { DeliveryJobSchema } from '#shared/sending/delivery-job-wire.ts';
import type { Network } from '#shared/sending/exchange.ts';
import type { JobServices } from '#shared/sending/queue-deliveries.ts';
import { runJob } from '#shared/sending/run-job.ts';
import type { CoreServices } from '#shared/services.ts';
import { planWebhookFailure } from './change-webhook.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { sendToWebhook } from './send-to-webhook.ts';

export const WEBHOOK_CAPS: Caps = { ...WEBHOOK_LIMITS.sending, work: 'webhooks' };

export const QueuedJob = DeliveryJobSchema.extend({ rounds: Rounds });

/** A job that returns to the queue does not count as an attempt, because nothing was sent. */
export const deliverWithSlot = (
  job: z.output<typeof QueuedJob>,
  sender: WebhookSender & { readonly slots: CallSlots },
): Promise<readonly object[]> => runWithSlot(sender, job, job, () => deliverToWebhook(job, sender));

type WebhookSender = JobServices &
  CoreServices &
  Network & {
    readonly connections?: Connections;
  };

export const deliverToWebhook = (job: DeliveryJob, sender: WebhookSender): Promise<readonly object[]> =>
  runJob<Webhook, Delivery>(job, sender, {
    receivers: webhooks,
    deliveries,
    due: dueDeliveries,
    planFailure: async (webhook, reason) => planWebhookFailure(sender, webhook, reason),
    send: (webhook, delivery, now) => {
      const agents = sender.connections?.of(webhook.hookId, now);
      const { url, headers } = webhook;
      const secrets = webhook.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
      const message = { id: delivery.deliveryId, url, headers, body: delivery.body };
      return sendToWebhook({ ...message, secrets: secrets.map(({ value }) => value) }, { ...sender, kept: agents });
    },
  });
