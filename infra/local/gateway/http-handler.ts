/** Serves a gateway over HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from '#infra/local/host/http-server.ts';
import { LOOPBACK } from '#infra/local/host/loopback.ts';
import { type Gateway, MAX_REQUEST_BYTES } from './gateway.ts';
import type { GatewayAnswer } from './gateway-responses.ts';
import type { WireRequest } from './proxy-event.ts';

export const httpHandler =
  (gateway: Gateway): RequestHandler =>
  async (incoming, response) => {
    const body = await readBody(incoming);
    if (body.kind === 'aborted') return;
    const request = wireRequest(incoming, body.kind === 'read' ? body.bytes : Buffer.alloc(0));
    send(response, body.kind === 'read' ? await gateway.answer(request) : gateway.tooLarge(request));
    incoming.resume();
  };

type Body =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'aborted' };

async function readBody(incoming: IncomingMessage): Promise<Body> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) return { kind: 'tooLarge' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Keeps the connection open if the body is too large, so that the client can read the error even while it is still
    // sending.
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

function send(response: ServerResponse, { status, headers, body }: GatewayAnswer): void {
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.statusCode = status;
  response.setHeader('Content-Length', body.length);
  response.end(body);
}
