/** A proxy between a reporter and the service, with which a test simulates network faults and server errors. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { bind, getPort, LOCALHOST } from '#infra/local/host/loopback.ts';
import { forward } from '#test/harness/engine-proxy.ts';

const UPLOAD = /"uploadUrl":"(http:\/\/[^/]+)\//g;

/** The origins of the service and of its file store. */
interface Stores {
  readonly service: string;
  files: string;
}

export class Call {
  readonly path: string;
  readonly body: Buffer;
  /** The header with the key. */
  readonly authorization: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #stores: Stores;

  constructor(
    stores: Stores,
    { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: Buffer },
  ) {
    this.path = `${request.method} ${new URL(request.url ?? '/', stores.service).pathname}`;
    this.body = body;
    this.authorization = request.headers.authorization;
    this.#request = request;
    this.#response = response;
    this.#stores = stores;
  }

  /** The body of the request. */
  json(): unknown {
    const isGzip = this.#request.headers['content-encoding'] === 'gzip';
    return JSON.parse((isGzip ? gunzipSync(this.body) : this.body).toString());
  }

  /** Forwards the request, sends the answer to the reporter, and returns it. */
  async pass(): Promise<Answer> {
    const answer = await this.store();
    this.#response.writeHead(answer.status, answer.headers).end(answer.body);
    return answer;
  }

  /**
   * Forwards the request to the service, or to the file store if it uploads a file. Returns the answer without sending
   * it to the reporter.
   */
  async store(): Promise<Answer> {
    const { headers, method } = this.#request;
    const { host } = headers;
    const isUpload = method === 'PUT' && !this.path.startsWith('PUT /test-record/');
    const target = isUpload ? this.#stores.files : this.#stores.service;
    // The service and the file store answer only requests whose `host` header names their own host.
    headers.host = new URL(target).host;
    headers['accept-encoding'] = 'identity';
    const answer = await forward(target, this.#request, this.body);
    const text = (await buffer(answer)).toString();
    // Upload links name the proxy instead of the file store, so that files are uploaded through the proxy as well.
    const body = text.replaceAll(UPLOAD, (_, files: string) => {
      this.#stores.files = files;
      return `"uploadUrl":"http://${host}/`;
    });
    return {
      status: answer.statusCode ?? 502,
      headers: { ...answer.headers, 'content-length': `${Buffer.byteLength(body)}` },
      body,
    };
  }

  answer(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): void {
    this.#response.writeHead(status, headers).end(body);
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
    this.#port = getPort(server);
  }

  /** Starts a proxy. A call that `decide` does not answer stays open until the end of the test. */
  static async start(service: string, decide: (call: Call) => unknown): Promise<FaultyProxy> {
    const stores: Stores = { service, files: service };
    const server = createServer((request, response) => {
      const handle = async () => decide(new Call(stores, { request, response, body: await buffer(request) }));
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

  /** Closes all open connections, and refuses new ones until `open()` is called. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async open(): Promise<void> {
    await bind(this.#server, this.#port);
  }
}
