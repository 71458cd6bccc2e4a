/**
 * Sends requests to a local engine over kept connections, without `node:http`, whose client took most of the CPU time of
 * a call of the database. Understands only what the engines send: a head and a body of a known length.
 */
import { connect, type Socket } from 'node:net';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Exchange {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A connection that was idle for longer is not used again, because the server may be closing it. */
const IDLE_MILLISECONDS = 1000;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

class Connection {
  readonly #socket: Socket;
  readonly #release: (connection: Connection) => void;
  #exchange: Exchange | undefined;
  #received: Buffer[] = [];
  #missingBytes = 0;
  #idleSince = 0;

  constructor(port: number, host: string, release: (connection: Connection) => void) {
    this.#release = release;
    this.#socket = connect({ port, host, noDelay: true, timeout: TABLE_LIMITS.callMilliseconds });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('timeout', () => this.#fail(new Error('The engine did not answer in time')));
    this.#socket.on('close', () => this.#fail(new Error('The connection was closed before the response was complete')));
  }

  get isUsable(): boolean {
    const isFresh = performance.now() - this.#idleSince < IDLE_MILLISECONDS;
    if (!isFresh) this.#socket.destroy();
    return isFresh && !this.#socket.destroyed;
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject };
      this.#socket.ref();
      this.#socket.write(request);
    });
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#missingBytes -= chunk.length;
    if (this.#missingBytes > 0) return;
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    const end = all.indexOf(END_OF_HEAD);
    if (end === -1) return;
    const head = all.toString('latin1', 0, end);
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
    if (length === undefined) {
      this.#fail(new Error(`The response has no length:\n${head}`));
      return;
    }
    const start = end + END_OF_HEAD.length;
    this.#missingBytes = start + Number(length) - all.length;
    if (this.#missingBytes > 0) return;
    this.#end({
      status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
      body: all.toString('utf8', start),
    });
  }

  #end(answer: Answer): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#received = [];
    this.#missingBytes = 0;
    this.#idleSince = performance.now();
    // An idle connection does not keep the process alive.
    this.#socket.unref();
    this.#release(this);
    exchange?.resolve(answer);
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#socket.destroy();
    exchange?.reject(error);
  }
}

/** The idle connections by origin. */
const idleConnections = new Map<string, Connection[]>();

/** Sends a POST request. `headers` are lines that each end with CRLF. */
export function post(origin: string, headers: string, body: string): Promise<Answer> {
  const connections = idleConnections.get(origin) ?? [];
  idleConnections.set(origin, connections);
  const { hostname, port, host } = findAddress(origin);
  const connection = takeUsable(connections) ?? new Connection(port, hostname, (one) => void connections.push(one));
  const length = Buffer.byteLength(body);
  return connection.send(`POST / HTTP/1.1\r\nhost: ${host}\r\n${headers}content-length: ${length}\r\n\r\n${body}`);
}

function takeUsable(connections: Connection[]): Connection | undefined {
  for (let last = connections.pop(); last; last = connections.pop()) if (last.isUsable) return last;
  return undefined;
}

interface Address {
  readonly hostname: string;
  readonly port: number;
  readonly host: string;
}

const addresses = new Map<string, Address>();

function findAddress(origin: string): Address {
  const knownAddress = addresses.get(origin);
  if (knownAddress) return knownAddress;
  const { hostname, port, host } = new URL(origin);
  const address = { hostname, port: Number(port), host };
  addresses.set(origin, address);
  return address;
}
