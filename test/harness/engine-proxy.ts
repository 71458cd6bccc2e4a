/** A proxy in front of a local AWS engine. It reports each call and forwards it unchanged. */
import { request as ask, createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { bind, closeServer, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';

/** A call to an AWS operation, such as `TransactWriteItems`, and its request body. */
export interface Call {
  readonly operation: string;
  readonly body: string;
}

interface Watch {
  /** Runs before the engine receives the call, which waits for it. */
  readonly before: (call: Call) => unknown;
  /** Runs after the engine has executed the call successfully, and before the client gets the response. */
  readonly after?: (call: Call) => void;
}

interface Proxy {
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

export async function startProxy(engine: string, watch: Watch): Promise<Proxy> {
  const server = createServer((request, response) => {
    const pass = async () => {
      const sent = await buffer(request);
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const call = { operation, body: sent.toString() };
      await watch.before(call);
      const answer = await forward(engine, request, sent);
      const received = await buffer(answer);
      if (answer.statusCode === 200) watch.after?.(call);
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(received);
    };
    pass().catch(() => response.destroy());
  });
  await bind(server, 0);
  return { endpoint: `http://${LOOPBACK}:${getPort(server)}`, close: () => closeServer(server) };
}

export const forward = (engine: string, { method, url = '/', headers }: IncomingMessage, body: Buffer) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    ask(new URL(url, engine), { method, headers }, resolve).on('error', reject).end(body);
  });
