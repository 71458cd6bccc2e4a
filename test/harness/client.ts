/** An HTTP client of the service. */
import { refuseSecrets } from './secrets.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or the text if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body it does not trust
  readonly body: any;
}

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Client {
  /** Paths are relative to `/v1`. A leading `@` stands for the origin: `@/runs/v1`. */
  readonly get: (path: string, options?: Options) => Promise<Answer>;
  readonly post: (path: string, body: unknown, options?: Options) => Promise<Answer>;
  readonly put: (path: string, body?: unknown, options?: Options) => Promise<Answer>;
  readonly send: (method: string, path: string, body?: RequestBody, options?: Options) => Promise<Answer>;
}

/** Requests whose response contains a credential. No other response may contain one. */
const SHOWS_SECRETS = [
  // Endpoints of the authorization server.
  /^POST .*\/oauth2\/token$/,
  /^POST \/webhooks\?projectId=[^&/]+$/,
  /^POST \/webhooks\/[^/]+\/secret$/,
];

type RequestBody = string | Uint8Array<ArrayBuffer>;

export function client(origin: string, credential?: string): Client {
  const send: Client['send'] = async (method, path, body, { headers = {} } = {}) => {
    const url = path.startsWith('@') ? origin + path.slice(1) : `${origin}/v1${path}`;
    const response = await fetch(url, {
      method,
      headers: { ...(credential ? { authorization: `Bearer ${credential}` } : {}), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const request = `${method} ${path}`;
    if (!SHOWS_SECRETS.some((known) => known.test(request))) refuseSecrets(`The response to ${request}`, text);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
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

/** Encodes a list of pairs as a query string. */
export const query = (...pairs: readonly (readonly [string, string])[]): string =>
  `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
