/** The HTTP server: the gateway and mounted services on one port. It answers input that is not HTTP with an error. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bindBoth, closeServer, getPort, LOCALHOST, LOOPBACK_HOSTS } from './loopback.ts';

/** Enough for API Gateway's limits (10,240 characters of URL, 10,240 bytes of header values) plus header names. */
const MAX_HEADER_BYTES = 64 * 1024;

/** The error message for requests that Node.js cannot parse, so that they never reach the gateway. */
const UNREADABLE = 'The request is not HTTP, or its address and headers are too long. Send a shorter one';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A service that handles some requests instead of the gateway. */
interface Mount {
  readonly takes: (request: IncomingMessage) => boolean;
  readonly handle: RequestHandler;
}

export interface HttpServer {
  readonly port: number;
  /** For example `http://localhost:4000`. */
  readonly origin: string;
  /** Mounts a handler. Takes effect immediately, even before `serve`. */
  mount(mount: Mount): void;
  /** Sets the handler of all requests that no mount takes, including requests that are already waiting. */
  serve(handler: RequestHandler): void;
  /** Graceful shutdown: waits at most two seconds for running requests. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 and ::1. Port 0 chooses a free port. Throws `CannotStart` if the port is taken. */
export async function listen(port: number): Promise<HttpServer> {
  const { promise: handlerPromise, resolve: serve } = Promise.withResolvers<RequestHandler>();
  const mounts: Mount[] = [];
  const mountFor = (request: IncomingMessage) => mounts.find(({ takes }) => takes(request))?.handle;
  const options = { maxHeaderSize: MAX_HEADER_BYTES };
  const create = () =>
    createServer(options, async (request, response) => {
      if (!isForThisMachine(request)) return refuseOtherHost(request, response);
      const mountHandler = mountFor(request);
      if (mountHandler) return mountHandler(request, response);
      const handle = await handlerPromise;
      return (mountFor(request) ?? handle)(request, response);
    }).on('clientError', refuseUnreadable);
  const servers = await bindBoth(create, port);
  return {
    port: getPort(servers[0]),
    origin: `http://${LOCALHOST}:${getPort(servers[0])}`,
    mount: (mount) => void mounts.push(mount),
    serve,
    close: async () => void (await Promise.all(servers.map(closeServer))),
  };
}

/** Against DNS rebinding: requests of an attacker's page pass the same-origin check, but contain its host name. */
const isForThisMachine = ({ headers, socket }: IncomingMessage): boolean =>
  LOOPBACK_HOSTS.some((name) => headers.host?.toLowerCase() === formatHost(name, socket.localPort));

/** The value of `Host` for a server. Clients omit the default port in `Host`. */
const formatHost = (name: string, port: number | undefined): string => (port === 80 ? name : `${name}:${port}`);

function refuseOtherHost(request: IncomingMessage, response: ServerResponse): void {
  const origin = `http://${formatHost(LOCALHOST, request.socket.localPort)}`;
  const error = `This address is not served here. Use ${origin}`;
  response.writeHead(421, { 'Content-Type': 'application/json' }).end(JSON.stringify({ status: 'FAILED', error }));
  request.resume();
}

function refuseUnreadable(error: Error, socket: Socket): void {
  const overflow = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW';
  const status = overflow ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({ status: 'FAILED', error: UNREADABLE });
  const headers = `Content-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}`;
  if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
  else socket.destroy();
}
