/**
 * A minimal HTTP client for the embedded database: one request at a time per connection, and only responses with a
 * content length.
 */
import { connect, type Socket } from 'node:net';

export interface EngineAnswer {
  readonly status: number;
  readonly body: string;
}

interface Waiting {
  readonly resolve: (answer: EngineAnswer) => void;
  readonly reject: (error: Error) => void;
}

const END_OF_HEAD = '\r\n\r\n';

class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  constructor({ hostname, port }: URL) {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (bytes) => this.#take(bytes));
    this.#socket.on('error', (error) => this.#waiting?.reject(error));
    this.#socket.on('close', () => this.#waiting?.reject(new Error('The engine closed the connection')));
    // An open connection must not keep the process alive.
    this.#socket.unref();
  }

  send(request: string): Promise<EngineAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  #take(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const end = this.#received.indexOf(END_OF_HEAD);
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const start = end + END_OF_HEAD.length;
    if (this.#received.length < start + length) return;
    const answer = {
      status: Number(head.split(' ', 2)[1]),
      body: this.#received.toString('utf8', start, start + length),
    };
    this.#received = this.#received.subarray(start + length);
    this.#waiting?.resolve(answer);
  }
}

/** A client that opens one connection per concurrent request. */
export class EngineClient {
  readonly #endpoint: URL;
  readonly #idle: Connection[] = [];

  constructor(endpoint: string) {
    this.#endpoint = new URL(endpoint);
  }

  async send(operation: string, body: string): Promise<EngineAnswer> {
    const connection = this.#idle.pop() ?? new Connection(this.#endpoint);
    const head = [
      'POST / HTTP/1.1',
      `host: ${this.#endpoint.host}`,
      'content-type: application/x-amz-json-1.0',
      `x-amz-target: DynamoDB_20120810.${operation}`,
      'x-amz-date: 20261102T100000Z',
      'authorization: AWS4-HMAC-SHA256 Credential=local/20261102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    const answer = await connection.send(`${head.join('\r\n')}${END_OF_HEAD}${body}`);
    this.#idle.push(connection);
    return answer;
  }
}
