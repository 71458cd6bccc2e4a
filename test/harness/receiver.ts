/** A local webhook receiver that records requests and answers as the test specifies. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly method: string;
  readonly path: string;
  /** The headers in order, with their names as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Returns the value of a header. `name` must be in lower case. */
  readonly header: (name: string) => string | undefined;
  readonly body: string;
}

interface Receiver {
  readonly url: string;
  readonly received: Received[];
}

type Reply = (response: ServerResponse, received: Received) => unknown;

export const answering =
  (statusCode: number, headers: Readonly<Record<string, string>> = {}, body = ''): Reply =>
  (response) =>
    response.writeHead(statusCode, headers).end(body);

/** Starts a receiver, which runs until the test ends, or serves all tests of a file if `stays` is true. */
export async function receiver(
  reply: Reply = answering(204),
  { stays = false }: { readonly stays?: boolean } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const message = receivedOf(request, body);
        received.push(message);
        reply(response, message);
      },
      // An incomplete request does not count as received.
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  if (stays) server.unref();
  else
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return { url: `http://127.0.0.1:${address.port}/hook?token=in-the-query`, received };
}

function receivedOf({ method = '', url = '', rawHeaders }: IncomingMessage, body: string): Received {
  const headers: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) headers.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  const header = (name: string) => headers.find(([known]) => known.toLowerCase() === name)?.[1];
  return { method, path: url, headers, header, body };
}
