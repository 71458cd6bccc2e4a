/** §6 Sends one POST to a possibly hostile receiver, with limits on address, time and answer size. */
import type { DeliveryAttempt } from '#shared/model/delivery.ts';
import { type Answer, DeadlineExceeded, withoutAnswer } from './answer.ts';
import type { KeepAliveAgents } from './connections.ts';
import { exchange, type Network } from './exchange.ts';
import { headersOf, problemOfHeaders } from './header-rules.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { signatureOf } from './sign.ts';
import { problemOfUrl } from './url-rules.ts';

export interface Message {
  /** The id of the delivery, the same for every attempt. */
  readonly id: string;
  readonly url: string;
  /** Custom headers of the webhook, as JSON text. */
  readonly headers: string | null;
  readonly secrets: readonly string[];
  readonly body: string;
}

export interface Transport extends Network {
  readonly now: () => number;
  /** Agents of the webhook. Without them each request opens a new connection. */
  readonly kept?: KeepAliveAgents | undefined;
}

export type Sent =
  | { readonly outcome: 'delivered'; readonly attempt: DeliveryAttempt }
  /** The receiver answered 410: it wants no more deliveries. */
  | { readonly outcome: 'gone'; readonly attempt: DeliveryAttempt }
  | { readonly outcome: 'failed'; readonly attempt: DeliveryAttempt; readonly retryAfter: string | undefined };

/** Sends one request. It never throws: every failure is the outcome of an attempt. */
export async function send(message: Message, transport: Transport): Promise<Sent> {
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

/** Repeats the request over a new connection if a kept one turns out to be closed. Both share one deadline. */
async function post(message: Message, transport: Transport, at: number): Promise<Answer> {
  const url = new URL(message.url);
  const headers = Object.fromEntries([...headersOf(message.headers), ...ownHeaders(message, at)]);
  const kept = url.protocol === 'https:' ? transport.kept?.secure : transport.kept?.plain;
  const late = new AbortController();
  // `AbortSignal.timeout` cannot be cleared: it would keep each request in memory until it fires.
  const timer = setTimeout(() => late.abort(new DeadlineExceeded()), WEBHOOK_LIMITS.deliveryMilliseconds);
  try {
    const request = { url, headers, body: message.body, deadline: late.signal };
    const { answer, isStale } = await exchange(request, transport, kept ?? false);
    return isStale ? (await exchange(request, transport, false)).answer : answer;
  } finally {
    clearTimeout(timer);
  }
}

/** The service's own headers are applied after the custom ones, so that they win. */
const ownHeaders = ({ id, secrets, body }: Message, at: number): (readonly [string, string])[] => {
  const seconds = Math.floor(at / 1000);
  return [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['User-Agent', 'Rundown-Webhooks/1'],
    ['x-timestamp', String(at)],
    ['webhook-id', id],
    ['webhook-timestamp', String(seconds)],
    ...(secrets.length > 0 ? [['webhook-signature', signatureOf(secrets, id, seconds, body)] as const] : []),
  ];
};
