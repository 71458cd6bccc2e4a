/** §6 One POST to one receiver, who may be hostile: bounded in where it goes, how long it takes and what is read. */
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { DeliveryAttempt } from '../resources/delivery.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { mayReach } from './addresses.ts';
import { type Answer, readAnswer, withoutAnswer, wordsFor } from './answer.ts';
import { guardedLookup, RefusedAddress } from './guarded-lookup.ts';
import { headersOf, problemOfHeaders } from './header-rules.ts';
import { signatureOf } from './sign.ts';
import { hostOf, problemOfUrl } from './url-rules.ts';

export interface Message {
  /** The same at every attempt. */
  readonly id: string;
  readonly url: string;
  /** JSON as text, of the webhook. */
  readonly headers: string | null;
  readonly secrets: readonly string[];
  readonly body: string;
}

export interface Transport {
  readonly now: () => number;
  readonly privateReceivers: boolean;
  readonly lookup?: LookupFunction;
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

/** No byte is sent before the address at the other end is known to be one that may be reached. */
function post(message: Message, transport: Transport, at: number): Promise<Answer> {
  const url = new URL(message.url);
  const isSecure = url.protocol === 'https:';
  const deadline = AbortSignal.timeout(WEBHOOK_LIMITS.deliveryMilliseconds);
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve(withoutAnswer(wordsFor(error)));
    try {
      const request = (isSecure ? secureRequest : plainRequest)({
        method: 'POST',
        host: hostOf(url),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: Object.fromEntries([...headersOf(message.headers), ...ownHeaders(message, at)]),
        lookup: guardedLookup(transport, transport.lookup),
        // A connection of its own: none that was checked for somebody else, or at another time.
        agent: false,
      });
      deadline.addEventListener('abort', () => request.destroy(deadline.reason));
      request.on('socket', (socket) => {
        // First of all who wait for it, so that no handshake begins either.
        socket.prependOnceListener('connect', () => {
          if (!mayReach(socket.remoteAddress ?? '', transport)) request.destroy(new RefusedAddress());
        });
        socket.once(isSecure ? 'secureConnect' : 'connect', () => request.destroyed || request.end(message.body));
      });
      request.on('response', (response) => resolve(readAnswer(response, deadline)));
      request.on('error', fail).on('close', () => fail(undefined));
    } catch (error) {
      fail(error);
    }
  });
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
