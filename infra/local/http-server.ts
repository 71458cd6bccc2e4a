/** Serves a gateway over HTTP on the loopback interface. Nothing a client sends stops it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { CannotStart } from './cannot-start.ts';
import { type Gateway, MAX_REQUEST_BYTES } from './gateway.ts';
import type { Answer } from './gateway-responses.ts';
import type { WireRequest } from './proxy-event.ts';

export const LOOPBACK = '127.0.0.1';
/** Room for API Gateway's 10,240 characters of URL, its 10,240 bytes of header values, and the headers' names. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Longer than a client keeps an idle connection: it is the one that closes, so no request meets a closed socket. */
export const KEEP_ALIVE_MILLISECONDS = 75_000;
export const CLOSE_GRACE_MILLISECONDS = 2_000;

interface HttpServer {
  readonly port: number;
  /** From here on requests are answered; those that came before are held until now. */
  serve(gateway: Gateway): void;
  /** Lets running requests end, for two seconds at most. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. Port 0 takes a free one. */
export async function listen(port: number): Promise<HttpServer> {
  const { promise: gateway, resolve: serve } = Promise.withResolvers<Gateway>();
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MILLISECONDS },
    (request, response) => void gateway.then((ready) => respond(ready, request, response)),
  );
  server.on('clientError', (error, socket) => {
    const overflow = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW';
    const status = overflow ? '431 Request Header Fields Too Large' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
  await bind(server, port);
  return { port: portOf(server), serve, close: () => closeServer(server) };
}

/** Throws `CannotStart` when the port is taken. */
export async function bind(server: TcpServer, port: number): Promise<void> {
  server.listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw taken ? new CannotStart(portTaken(port)) : error;
  }
}

const portTaken = (port: number): string =>
  `Port ${port} is taken by another process. Stop that one, or choose another port: PORT=${port + 1} npm start`;

/** The address of a server that listens on TCP; only a pipe's would be a text. */
export function portOf(server: TcpServer): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('The server does not listen on TCP');
}

/** Lets running requests end, for two seconds at most. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MILLISECONDS);
  await closed;
  clearTimeout(timer);
}

async function respond(gateway: Gateway, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(incoming);
  if (body.kind === 'aborted') return;
  const request = wireRequest(incoming, body.kind === 'read' ? body.bytes : Buffer.alloc(0));
  send(response, body.kind === 'read' ? await gateway.answer(request) : gateway.tooLarge(request));
  incoming.resume();
}

type Body =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'aborted' };

async function readBody(incoming: IncomingMessage): Promise<Body> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) return { kind: 'tooLarge' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Left open when too large: the refusal is read on the connection that still sends.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > MAX_REQUEST_BYTES) return { kind: 'tooLarge' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'aborted' };
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) };
}

function wireRequest(incoming: IncomingMessage, body: Buffer): WireRequest {
  const { method = 'GET', url = '/', rawHeaders, socket } = incoming;
  return {
    method,
    target: url,
    rawHeaders,
    body,
    sourceIp: socket.remoteAddress ?? LOOPBACK,
    port: socket.localPort ?? 0,
  };
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.statusCode = status;
  response.setHeader('Content-Length', body.length);
  response.end(body);
}
