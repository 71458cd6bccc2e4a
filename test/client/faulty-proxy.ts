/** A proxy between a reporter and the service that decides about each request: networks fail, and so do services. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { bind, LOCALHOST, portOf } from '#infra/local/host/loopback.ts';
import { forward } from '#test/end-to-end/engine-proxy.ts';

export class Call {
  readonly path: string;
  readonly body: Buffer;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #service: string;

  constructor(
    service: string,
    { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: Buffer },
  ) {
    this.path = `${request.method} ${new URL(request.url ?? '/', service).pathname}`;
    this.body = body;
    this.#request = request;
    this.#response = response;
    this.#service = service;
  }

  /** The service gets the request, and the reporter gets the answer. */
  async pass(): Promise<void> {
    const { status, headers, body } = await this.store();
    this.#response.writeHead(status, headers).end(body);
  }

  /** The service gets the request, but the reporter gets no answer yet. */
  async store() {
    const { headers } = this.#request;
    const { host } = headers;
    // The service answers only requests that name its own host.
    headers.host = new URL(this.#service).host;
    headers['accept-encoding'] = 'identity';
    const answer = await forward(this.#service, this.#request, this.body);
    const text = (await buffer(answer)).toString();
    // Files are uploaded through the proxy, too.
    const body = text.replaceAll(`${this.#service}/`, `http://${host}/`);
    const { 'content-length': _, ...others } = answer.headers;
    return { status: answer.statusCode ?? 502, headers: others, body };
  }

  answer(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(status, headers).end();
  }

  reset(): void {
    this.#request.socket.resetAndDestroy();
  }
}

/** Starts the proxy and returns its address. A call that `decide` does not answer stays open until the end of the test. */
export async function faultyProxy(service: string, decide: (call: Call) => Promise<void> | void): Promise<string> {
  const server = createServer((request, response) => {
    const handle = async () => decide(new Call(service, { request, response, body: await buffer(request) }));
    handle().catch(() => response.destroy());
  });
  await bind(server, 0);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://${LOCALHOST}:${portOf(server)}`;
}
