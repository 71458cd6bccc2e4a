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
import { type ReceiverAnswer, withoutAnswer } from '#shared/sending/answer.ts';
import type { Connections } from '#shared/sending/connections.ts';
import type { Sent } from '#shared/sending/delivery-channel.ts';
import { DeliveryJobSchema } from '#shared/sending/delivery-job-wire.ts';
import { type Connected, type Network, request } from '#shared/sending/exchange.ts';
import type { JobServices } from '#shared/sending/queue-deliveries.ts';
import { runJob } from '#shared/sending/run-job.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import { headersOf, problemOfHeaders } from './header-rules.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { signedHeader } from './sign.ts';

export const WEBHOOK_CAPS: Caps = { ...WEBHOOK_LIMITS.sending, work: 'webhooks' };

export const QueuedJob = DeliveryJobSchema.extend({ rounds: Rounds });

/**
 * Delivers if a slot is free. A job that returns to the queue does not count as an attempt, because nothing was sent.
 */
export const deliverWithSlot = (
  job: z.output<typeof QueuedJob>,
  sender: WebhookSender & { readonly slots: CallSlots },
): Promise<readonly object[]> => runWithSlot(sender, job, job, () => deliver(job, sender));

type WebhookSender = JobServices &
  Network & {
    /** Keep-alive connections. Without them, each request opens a new connection. */
    readonly connections?: Connections;
  };

export const deliver = (job: DeliveryJob, sender: WebhookSender): Promise<readonly object[]> =>
  runJob<Webhook, Delivery>(job, sender, {
    receivers: webhooks,
    deliveries,
    due: dueDeliveries,
    send: (webhook, delivery, now) => {
      const kept = sender.connections?.of(webhook.hookId, now);
      const { url, headers } = webhook;
      const secrets = webhook.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
      const message = { id: delivery.deliveryId, url, headers, body: delivery.body };
      return sendToWebhook({ ...message, secrets: secrets.map(({ value }) => value) }, { ...sender, kept });
    },
  });

// §6 Sends one POST to a possibly hostile receiver, with limits on its address, the time and the response size.

interface Message {
  /** The id of the delivery, the same for every attempt. */
  readonly id: string;
  readonly url: string;
  /** Custom headers of the webhook, as JSON text. */
  readonly headers: string | null;
  readonly secrets: readonly string[];
  readonly body: string;
}

interface Transport extends Connected {
  readonly now: () => number;
}

/** Sends one request. Never throws: every failure is the outcome of an attempt. */
export async function sendToWebhook(message: Message, transport: Transport): Promise<Sent> {
  const at = transport.now();
  const problem =
    problemOfUrl(message.url, transport) ?? (message.headers === null ? undefined : problemOfHeaders(message.headers));
  const answer = problem === undefined ? await post(message, transport, at) : withoutAnswer(problem);
  const { statusCode, error, text } = answer;
  const attempt = { at, latencyMs: transport.now() - at, statusCode, error, answer: text };
  if (error === null) return { outcome: 'delivered', attempt };
  if (statusCode === GONE) return { outcome: 'gone', attempt };
  return { outcome: 'failed', attempt, retryAfter: answer.retryAfter };
}

const GONE = 410;

function post({ id, url, headers, secrets, body }: Message, transport: Transport, at: number): Promise<ReceiverAnswer> {
  const seconds = Math.floor(at / 1000);
  // The service's own headers are applied last, so that custom headers cannot override them.
  const all = {
    ...Object.fromEntries(headersOf(headers)),
    'Content-Type': 'application/json',
    'User-Agent': 'Rundown-Webhooks/1',
    'x-timestamp': String(at),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    ...(secrets.length > 0 && { 'webhook-signature': signedHeader(secrets, id, seconds, body) }),
  };
  return request({ method: 'POST', url: new URL(url), headers: all, body }, transport);
}
