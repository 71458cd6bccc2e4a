/** §6 Sends one POST to a possibly hostile receiver, with limits on address, time and answer size. */
import { type ReceiverAnswer, withoutAnswer } from '#shared/sending/answer.ts';
import type { Sent } from '#shared/sending/delivery-channel.ts';
import { type Connected, request } from '#shared/sending/request.ts';
import { problemOfUrl } from '#shared/sending/url-rules.ts';
import { headersOf, problemOfHeaders } from './header-rules.ts';
import { signedHeader } from './sign.ts';

export interface Message {
  /** The id of the delivery, the same for every attempt. */
  readonly id: string;
  readonly url: string;
  /** Custom headers of the webhook, as JSON text. */
  readonly headers: string | null;
  readonly secrets: readonly string[];
  readonly body: string;
}

export interface Transport extends Connected {
  readonly now: () => number;
}

/** Sends one request. It never throws: every failure is the outcome of an attempt. */
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

async function post(message: Message, transport: Transport, at: number): Promise<ReceiverAnswer> {
  const headers = Object.fromEntries([...headersOf(message.headers), ...ownHeaders(message, at)]);
  return request({ method: 'POST', url: new URL(message.url), headers, body: message.body }, transport);
}

/** The service's own headers are applied after the custom ones, so that they win. */
const ownHeaders = ({ id, secrets, body }: Message, at: number): (readonly [string, string])[] => {
  const seconds = Math.floor(at / 1000);
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'Rundown-Webhooks/1'],
    ['x-timestamp', String(at)],
    ['webhook-id', id],
    ['webhook-timestamp', String(seconds)],
    ...(secrets.length > 0 ? [['webhook-signature', signedHeader(secrets, id, seconds, body)] as const] : []),
  ];
};
