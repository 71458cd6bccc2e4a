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

/** Listens to events, because an iterator waits for several promises per request. */
function readBody(incoming: IncomingMessage): Promise<Buffer | 'tooLarge' | 'aborted'> {
  return new Promise((resolve) => {
    if (Number(incoming.headers['content-length'] ?? 0) > MAX_REQUEST_BYTES) return resolve('tooLarge');
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The connection stays open, so that the client can read the error even while it is still sending.
      if (bytes > MAX_REQUEST_BYTES) resolve('tooLarge');
      else chunks.push(chunk);
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    for (const event of ['error', 'close']) incoming.on(event, () => resolve('aborted'));
  });
}
