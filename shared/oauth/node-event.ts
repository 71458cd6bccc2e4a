/**
 * Runs a node:http handler for one API Gateway event. oidc-provider needs a request and a response, but no socket. Host
 * and protocol come from the configuration, never from the client.
 */
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import type { RouteEvent } from '#shared/engine/http/event.ts';

/**
 * The headers that are dropped: those in which the client claims a host or protocol, and those that describe the
 * connection.
 */
const DROPPED =
  /^(host|forwarded|x-forwarded-.*|x-original-.*|x-rewrite-url|via|connection|content-encoding|content-length|transfer-encoding|expect|upgrade)$/;

export type Served = Pick<
  RouteEvent,
  'httpMethod' | 'path' | 'multiValueHeaders' | 'multiValueQueryStringParameters'
> & {
  readonly body: string;
  readonly sourceIp: string;
};

export function serve(handler: RequestListener, origin: string, served: Served): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = requestOf(served, new URL(origin));
  const response = new ServerResponse(request);
  const chunks: Buffer[] = [];
  const take = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  response.write = (chunk: unknown) => {
    take(chunk);
    return true;
  };
  response.end = (chunk?: unknown) => {
    take(chunk);
    response.emit('finish');
    response.emit('close');
    resolve({
      statusCode: response.statusCode,
      headers: {},
      multiValueHeaders: headersOf(response),
      body: Buffer.concat(chunks).toString(),
      isBase64Encoded: false,
    });
    return response;
  };
  response.on('error', reject);
  handler(request, response);
  return promise;
}

/** Builds the request that oidc-provider gets, without the headers in `DROPPED`. */
export function requestOf(served: Served, { host, protocol }: URL): IncomingMessage {
  const request = new IncomingMessage(socketOf(served.sourceIp, protocol === 'https:') as never);
  const query = queryOf(served.multiValueQueryStringParameters);
  const url = served.path + (query === '' ? '' : `?${query}`);
  Object.assign(request, { method: served.httpMethod, url, httpVersion: '1.1', complete: true });
  for (const [name, values = []] of Object.entries(served.multiValueHeaders ?? {})) {
    const lower = name.toLowerCase();
    if (!DROPPED.test(lower)) request.headers[lower] = values.join(lower === 'cookie' ? '; ' : ', ');
  }
  request.headers.host = host;
  if (served.body !== '') {
    request.headers['content-length'] = String(Buffer.byteLength(served.body));
    request.push(served.body);
  }
  request.push(null);
  return request;
}

function socketOf(remoteAddress: string, encrypted: boolean): Duplex {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return Object.assign(socket, { encrypted, remoteAddress, setTimeout: () => socket });
}

function queryOf(parameters: RouteEvent['multiValueQueryStringParameters']): string {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(pairs).toString();
}

const headersOf = (response: ServerResponse): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(response.getHeaders()).flatMap(([name, value]) =>
      // API Gateway sets the `content-length` header itself.
      value === undefined || name === 'content-length' ? [] : [[name, [value].flat().map(String)] as const],
    ),
  );
