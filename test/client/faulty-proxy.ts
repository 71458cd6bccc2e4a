/** A proxy between a reporter and the service that decides about each request: networks fail, and so do services. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
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

  /** The service gets the request. Its answer is not sent yet. */
  async store(): Promise<Answer> {
    const { headers } = this.#request;
    const { host } = headers;
    // The service answers only requests that name its own host.
    headers.host = new URL(this.#service).host;
    headers['accept-encoding'] = 'identity';
    const answer = await forward(this.#service, this.#request, this.body);
    const text = (await buffer(answer)).toString();
    // Files are uploaded through the proxy, too.
    const body = text.replaceAll(`${this.#service}/`, `http://${host}/`);
    return {
      status: answer.statusCode ?? 502,
      headers: { ...answer.headers, 'content-length': `${Buffer.byteLength(body)}` },
      body,
    };
  }

  answer(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(status, headers).end();
  }

  /** Sends half of the answer, and then resets the connection. */
  cut({ status, headers, body }: Answer): void {
    this.#response.writeHead(status, headers).write(body.slice(0, body.length / 2), () => this.reset());
  }

  reset(): void {
    this.#request.socket.resetAndDestroy();
  }
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

export class FaultyProxy {
  readonly #server: Server;
  readonly #port: number;

  private constructor(server: Server) {
    this.#server = server;
    this.#port = portOf(server);
  }

  /** Starts a proxy. A call that `decide` does not answer stays open until the end of the test. */
  static async start(service: string, decide: (call: Call) => Promise<void> | void): Promise<FaultyProxy> {
    const server = createServer((request, response) => {
      const handle = async () => decide(new Call(service, { request, response, body: await buffer(request) }));
      handle().catch(() => response.destroy());
    });
    await bind(server, 0);
    const proxy = new FaultyProxy(server);
    onTestFinished(() => proxy.close());
    return proxy;
  }

  get origin(): string {
    return `http://${LOCALHOST}:${this.#port}`;
  }

  /** Connections are refused from now on, and those that are open are reset. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async open(): Promise<void> {
    await bind(this.#server, this.#port);
  }
}
