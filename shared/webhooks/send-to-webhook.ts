/** §6 Sends one POST to a possibly hostile receiver, with limits on its address, the time and the response size. */

import { makeErrorAnswer, type ReceiverAnswer } from '#shared/sending/answer.ts';
import type { SendOutcome } from '#shared/sending/delivery-channel.ts';
import { type KeepAliveNetwork, sendRequest } from '#shared/sending/exchange.ts';
import { findUrlProblem } from '#shared/sending/url-rules.ts';
import { findHeadersProblem, parseHeaders } from './header-rules.ts';
import { makeSignatureHeader } from './sign.ts';

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
  const allHeaders: Record<string, string> = {
    ...Object.fromEntries(parseHeaders(headers)),
    'Content-Type': 'application/json',
    'User-Agent': 'Rundown-Webhooks/1',
    'x-timestamp': String(at),
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
  };
  if (secrets.length > 0) allHeaders['webhook-signature'] = makeSignatureHeader(secrets, id, seconds, body);
  return sendRequest({ method: 'POST', url: new URL(url), headers: allHeaders, body }, transport);
}
