/** A reverse proxy that changes the responses of the service behind it. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { bind, getPort, LOCALHOST } from '#infra/local/host/loopback.ts';
import { exchange } from '#test/harness/client.ts';

export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly requestBytes: number;
  /** Whether the request had a credential. */
  readonly isKnown: boolean;
  status: number;
  readonly headers: Record<string, string>;
  body: Buffer;
}

/** Changes a response before the client receives it. */
export type Spoil = (answer: Passed) => void;

/** Starts the proxy and returns its origin, which differs from the public origin of the service. */
export async function proxyBefore(origin: string, spoil: Spoil): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request;
    const body = await buffer(request);
    const { host: _, connection: __, ...sent } = request.headers;
    const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)]));
    const answer = await exchange(method, origin + path, headers, body.length > 0 ? new Uint8Array(body) : undefined);
    const passed: Passed = {
      method,
      path,
      requestBytes: body.length,
      isKnown: 'authorization' in sent,
      status: answer.statusCode ?? 0,
      headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
      body: await buffer(answer),
    };
    spoil(passed);
    response.writeHead(passed.status, { ...passed.headers, 'content-length': passed.body.length }).end(passed.body);
  });
  await bind(server, 0);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${LOCALHOST}:${getPort(server)}`;
}
