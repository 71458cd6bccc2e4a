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
import { makeErrorAnswer, type ReceiverAnswer } from '#shared/sending/answer.ts';
import type { Connections } from '#shared/sending/connections.ts';
import type { SendOutcome } from '#shared/sending/delivery-channel.ts';
import { DeliveryJobSchema } from '#shared/sending/delivery-job-wire.ts';
import { type KeepAliveNetwork, type Network, sendRequest } from '#shared/sending/exchange.ts';
import type { JobServices } from '#shared/sending/queue-deliveries.ts';
import { runJob } from '#shared/sending/run-job.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import type { CoreServices } from '#shared/services.ts';
import { planWebhookFailure } from './change-webhook.ts';
import { findHeadersProblem, parseHeaders } from './header-rules.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { makeSignatureHeader } from './sign.ts';

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

// §6 Sends one POST to a possibly hostile receiver, with limits on its address, the time and the response size.

interface WebhookMessage {
  /** The id of the delivery, the same for every attempt. */
  readonly id: string;
  readonly url: string;
  /** Custom headers of the webhook, as JSON text. */
  readonly headers: string | null;
  readonly secrets: readonly string[];
  readonly body: string;
}

interface WebhookNetwork extends KeepAliveNetwork {
  readonly now: () => number;
}

/** Never throws: every failure is the outcome of an attempt. */
export async function sendToWebhook(message: WebhookMessage, transport: WebhookNetwork): Promise<SendOutcome> {
  const at = transport.now();
  const problem =
    findUrlProblem(message.url, transport) ??
    (message.headers === null ? undefined : findHeadersProblem(message.headers));
  const answer = problem === undefined ? await sendSignedRequest(message, transport, at) : makeErrorAnswer(problem);
  const { statusCode, error, text } = answer;
  const attempt = { at, latencyMs: transport.now() - at, statusCode, error, answer: text };
  if (error === null) return { outcome: 'delivered', attempt };
  if (statusCode === GONE) return { outcome: 'gone', attempt };
  return { outcome: 'failed', attempt, retryAfter: answer.retryAfter };
}

const GONE = 410;

function sendSignedRequest(
  { id, url, headers, secrets, body }: WebhookMessage,
  transport: WebhookNetwork,
  at: number,
): Promise<ReceiverAnswer> {
  const seconds = Math.floor(at / 1000);
  // The service's own headers are applied last, so that custom headers cannot override them.
  const all = {
    ...Object.fromEntries(parseHeaders(headers)),
    'Content-Type': 'application/json',
    'User-Agent': 'Rundown-Webhooks/1',
    'x-timestamp': String(at),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    ...(secrets.length > 0 && { 'webhook-signature': makeSignatureHeader(secrets, id, seconds, body) }),
  };
  return sendRequest({ method: 'POST', url: new URL(url), headers: all, body }, transport);
}
