/**
 * Runs a node:http handler for one API Gateway event. oidc-provider needs a request and a response, but no socket. Host
 * and protocol come from the configuration, never from the client.
 */
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import type { RouteEvent } from '#shared/engine/http/event.ts';

/** Headers in which the client claims a host or protocol, and headers that describe the connection. */
const DROPPED =
  /^(host|forwarded|x-forwarded-.*|x-original-.*|x-rewrite-url|via|connection|content-encoding|content-length|transfer-encoding|expect|upgrade)$/;

export type EventRequest = Pick<
  RouteEvent,
  'httpMethod' | 'path' | 'multiValueHeaders' | 'multiValueQueryStringParameters'
> & {
  readonly body: string;
  readonly sourceIp: string;
};

export function serveEvent(handler: RequestListener, origin: string, eventRequest: EventRequest): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = makeIncomingMessage(eventRequest, new URL(origin));
  const response = new ServerResponse(request);
  const chunks: Buffer[] = [];
  const keepChunk = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  response.write = (chunk: unknown) => {
    keepChunk(chunk);
    return true;
  };
  response.end = (chunk?: unknown) => {
    keepChunk(chunk);
    response.emit('finish');
    response.emit('close');
    resolve({
      statusCode: response.statusCode,
      headers: {},
      multiValueHeaders: collectHeaders(response),
      body: Buffer.concat(chunks).toString(),
      isBase64Encoded: false,
    });
    return response;
  };
  response.on('error', reject);
  handler(request, response);
  return promise;
}

export function makeIncomingMessage(eventRequest: EventRequest, { host, protocol }: URL): IncomingMessage {
  const request = new IncomingMessage(makeSocket(eventRequest.sourceIp, protocol === 'https:') as never);
  const query = formatQuery(eventRequest.multiValueQueryStringParameters);
  const url = eventRequest.path + (query === '' ? '' : `?${query}`);
  Object.assign(request, { method: eventRequest.httpMethod, url, httpVersion: '1.1', complete: true });
  for (const [name, values = []] of Object.entries(eventRequest.multiValueHeaders ?? {})) {
    const lower = name.toLowerCase();
    if (!DROPPED.test(lower)) request.headers[lower] = values.join(lower === 'cookie' ? '; ' : ', ');
  }
  request.headers.host = host;
  if (eventRequest.body !== '') {
    request.headers['content-length'] = String(Buffer.byteLength(eventRequest.body));
    request.push(eventRequest.body);
  }
  request.push(null);
  return request;
}

function makeSocket(remoteAddress: string, isEncrypted: boolean): Duplex {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, callback) => callback() });
  return Object.assign(socket, { encrypted: isEncrypted, remoteAddress, setTimeout: () => socket });
}

function formatQuery(parameters: RouteEvent['multiValueQueryStringParameters']): string {
  const pairs = Object.entries(parameters ?? {}).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(pairs).toString();
}

const collectHeaders = (response: ServerResponse): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(response.getHeaders()).flatMap(([name, value]) =>
      // API Gateway sets the `content-length` header itself.
      value === undefined || name === 'content-length' ? [] : [[name, [value].flat().map(String)] as const],
    ),
  );
