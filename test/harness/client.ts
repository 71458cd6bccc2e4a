/** An HTTP client for the service. `fetch` would take three times the CPU time. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { refuseSecrets } from './secrets.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body if it is JSON, or its text otherwise. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check the content of response bodies themselves
  readonly body: any;
}

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Client {
  /**
   * Sends a GET request. Paths of all methods are relative to `/v1`. A leading `@` stands for the origin, as in
   * `@/runs/v1`.
   */
  readonly get: (path: string, options?: Options) => Promise<Answer>;
  readonly post: (path: string, body: unknown, options?: Options) => Promise<Answer>;
  readonly put: (path: string, body?: unknown, options?: Options) => Promise<Answer>;
  readonly send: (method: string, path: string, body?: RequestBody, options?: Options) => Promise<Answer>;
}

/** Requests whose response contains a credential. No other response may contain one. */
const SHOWS_SECRETS = [
  // The token endpoint of the authorization server.
  /^POST .*\/oauth2\/token$/,
  /^POST \/webhooks\?projectId=[^&/]+$/,
  /^POST \/webhooks\/[^/]+\/secret$/,
  /^POST \/shares?$/,
  /^POST .*\/build-credentials$/,
];

/** A request got no response, or only a part of one. `cause` is the error of the connection. */
export class NoResponse extends Error {}

type RequestBody = string | Uint8Array<ArrayBuffer>;

export function client(origin: string, credential?: string): Client {
  const send: Client['send'] = async (method, path, body, { headers = {} } = {}) => {
    const url = path.startsWith('@') ? origin + path.slice(1) : `${origin}/v1${path}`;
    const authorization: Record<string, string> = credential ? { authorization: `Bearer ${credential}` } : {};
    const response = await exchange(method, url, { ...authorization, ...headers }, body);
    const text = await textIn(response);
    const described = `${method} ${path}`;
    if (!SHOWS_SECRETS.some((known) => known.test(described))) refuseSecrets(`The response to ${described}`, text);
    const received = headersOf(response);
    const isJson = received.get('content-type')?.startsWith('application/json');
    return { status: response.statusCode ?? 0, headers: received, body: isJson && text ? JSON.parse(text) : text };
  };
  const json = (options: Options = {}) => ({ headers: { 'content-type': 'application/json', ...options.headers } });
  return {
    send,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, JSON.stringify(body), json(options)),
    put: (path, body, options) =>
      send('PUT', path, body === undefined ? undefined : JSON.stringify(body), json(options)),
  };
}

/** Sends a request as `fetch` does: accepts gzip, and sends a string without a content type as plain text. */
export async function exchange(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: RequestBody | undefined,
): Promise<IncomingMessage> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = bytes || method !== 'GET' ? { 'content-length': String(bytes?.length ?? 0) } : {};
  const type = typeof body === 'string' ? { 'content-type': 'text/plain;charset=UTF-8' } : {};
  const outgoing = request(url, { method, headers: { 'accept-encoding': 'gzip', ...type, ...length, ...headers } });
  // If the connection fails after the headers of the response have arrived, reading the body reports the error.
  outgoing.on('error', () => {}).end(bytes);
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response').catch((cause) => {
    throw new NoResponse(`${method} ${url} got no response`, { cause });
  });
  if (incoming === undefined) throw new NoResponse(`${method} ${url} got no response`);
  return incoming;
}

export const headersOf = ({ headersDistinct }: IncomingMessage): Headers =>
  new Headers(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  );

export async function textIn(response: IncomingMessage): Promise<string> {
  const bytes = await buffer(response).catch((cause) => {
    throw new NoResponse('The connection closed in the middle of the response', { cause });
  });
  return (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

/** Encodes a list of pairs as a query string. */
export const query = (...pairs: readonly (readonly [string, string])[]): string =>
  `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
