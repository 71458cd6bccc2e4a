/**
 * Sends a request byte for byte, unlike `fetch`: repeated headers stay repeated, and nothing is normalized or decoded.
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
  /** Header names are in lower case. The values of a repeated header are joined with `, `. */
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

/** Headers that differ between two responses to the same request. */
const PER_REQUEST = new Set(['connection', 'date', 'keep-alive', 'x-amz-apigw-id', 'x-amzn-requestid', 'x-request-id']);

/** The parts of a response that are the same for equal requests: status, body and most headers. */
export const comparable = ({ status, headers, body }: WireAnswer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_REQUEST.has(name))),
  body: body.toString(),
});
