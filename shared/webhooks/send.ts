/** §6 One POST to one receiver, who may be hostile: bounded in where it goes, how long it takes and what is read. */
import type { DeliveryAttempt } from '../resources/delivery.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { type Answer, TimeUp, withoutAnswer } from './answer.ts';
import type { Kept } from './connections.ts';
import { exchange, type Network } from './exchange.ts';
import { headersOf, problemOfHeaders } from './header-rules.ts';
import { signatureOf } from './sign.ts';
import { problemOfUrl } from './url-rules.ts';

export interface Message {
  /** The same at every attempt. */
  readonly id: string;
  readonly url: string;
  /** JSON as text, of the webhook. */
  readonly headers: string | null;
  readonly secrets: readonly string[];
  readonly body: string;
}

export interface Transport extends Network {
  readonly now: () => number;
  /** Of its webhook; without them, each request has a connection of its own. */
  readonly kept?: Kept | undefined;
}

export type Sent =
  | { readonly outcome: 'delivered'; readonly attempt: DeliveryAttempt }
  /** The receiver wants no more, ever. */
  | { readonly outcome: 'gone'; readonly attempt: DeliveryAttempt }
  | { readonly outcome: 'failed'; readonly attempt: DeliveryAttempt; readonly retryAfter: string | undefined };

/** Never throws: whatever happens is the outcome of an attempt. */
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

/** Where a connection that was kept turns out to have ended, over one of its own: within the same time. */
async function post(message: Message, transport: Transport, at: number): Promise<Answer> {
  const url = new URL(message.url);
  const headers = Object.fromEntries([...headersOf(message.headers), ...ownHeaders(message, at)]);
  const kept = url.protocol === 'https:' ? transport.kept?.secure : transport.kept?.plain;
  const late = new AbortController();
  // Not `AbortSignal.timeout`, which nothing ends early: it would keep each request in memory for as long.
  const timer = setTimeout(() => late.abort(new TimeUp()), WEBHOOK_LIMITS.deliveryMilliseconds);
  try {
    const request = { url, headers, body: message.body, deadline: late.signal };
    const { answer, isStale } = await exchange(request, transport, kept ?? false);
    return isStale ? (await exchange(request, transport, false)).answer : answer;
  } finally {
    clearTimeout(timer);
  }
}

/** After the webhook's own, so that these stand. */
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
