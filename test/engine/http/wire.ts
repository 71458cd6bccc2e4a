/**
 * Sends one request byte for byte: repeated headers stay repeated, and nothing is normalized or decoded. `fetch`
 * guarantees neither.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface WireRequest {
  readonly method: string;
  /** The path and the query, which are sent unchanged. */
  readonly path: string;
  /** Headers in this order, including repeated names. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
}

export interface WireAnswer {
  readonly status: number;
  /** Names are in lower case. Values of a repeated name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export async function send(origin: string, { method, path, headers = [], body }: WireRequest): Promise<WireAnswer> {
  const { hostname, port } = new URL(origin);
  const bytes = Buffer.from(body ?? '');
  const length = bytes.length > 0 ? ['content-length', String(bytes.length)] : [];
  const raw = ['host', `${hostname}:${port}`, ...headers.flat(), ...length];
  const outgoing = request({ hostname, port, method, path, headers: raw });
  outgoing.end(bytes);
  const incoming: IncomingMessage = (await once(outgoing, 'response'))[0];
  const answered = Object.entries(incoming.headersDistinct).map(([name, values = []]) => [name, values.join(', ')]);
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(answered),
    body: await buffer(incoming),
  };
}

/** Headers that differ between two answers to the same request. */
const PER_REQUEST = new Set(['connection', 'date', 'keep-alive', 'x-amz-apigw-id', 'x-amzn-requestid', 'x-request-id']);

/** Every visible part of an answer. */
export const comparable = ({ status, headers, body }: WireAnswer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_REQUEST.has(name))),
  body: body.toString(),
});
