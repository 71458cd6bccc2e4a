/** Serves a gateway over HTTP. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from '#infra/local/host/http-server.ts';
import { LOOPBACK } from '#infra/local/host/loopback.ts';
import { type Gateway, MAX_REQUEST_BYTES } from './gateway.ts';

export const makeHttpHandler =
  (gateway: Gateway): RequestHandler =>
  async (incoming, response) => {
    const requestBody = await readBody(incoming);
    if (requestBody === 'aborted') return;
    const { method = 'GET', url: target = '/', rawHeaders, socket } = incoming;
    const sourceIp = socket.remoteAddress ?? LOOPBACK;
    const request = { method, target, rawHeaders, sourceIp, port: socket.localPort ?? 0 };
    const { status, headers, body } =
      requestBody === 'tooLarge'
        ? gateway.tooLarge({ ...request, body: Buffer.alloc(0) })
        : await gateway.answer({ ...request, body: requestBody });
    for (const [name, value] of headers) response.appendHeader(name, value);
    response.statusCode = status;
    response.setHeader('Content-Length', body.length);
    response.end(body);
    incoming.resume();
  };

async function readBody(incoming: IncomingMessage): Promise<Buffer | 'tooLarge' | 'aborted'> {
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) return 'tooLarge';
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Keeps the connection open if the body is too large, so that the client can read the error even while it is still
    // sending.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > MAX_REQUEST_BYTES) return 'tooLarge';
      chunks.push(chunk);
    }
  } catch {
    return 'aborted';
  }
  return Buffer.concat(chunks);
}
