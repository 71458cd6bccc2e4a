/** A proxy in front of a local AWS engine. It reports each call and forwards it unchanged. */
import { request as ask, createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { bind, LOOPBACK, portOf } from '#infra/local/host/loopback.ts';
import type { Call } from './way-of-an-event.ts';

interface Watch {
  /** Runs before the engine receives the call. */
  readonly before: (call: Call) => void;
  /** Runs after the engine has executed the call successfully, and before the client gets the response. */
  readonly after: (call: Call) => void;
}

/** Starts a proxy and returns its address. */
export async function startProxy(engine: string, watch: Watch): Promise<string> {
  const server = createServer((request, response) => {
    const pass = async () => {
      const sent = await buffer(request);
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
      const call = { operation, body: sent.toString() };
      watch.before(call);
      const answer = await forward(engine, request, sent);
      const received = await buffer(answer);
      if (answer.statusCode === 200) watch.after(call);
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(received);
    };
    pass().catch(() => response.destroy());
  });
  await bind(server, 0);
  return `http://${LOOPBACK}:${portOf(server)}`;
}

export const forward = (engine: string, { method, url = '/', headers }: IncomingMessage, body: Buffer) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    ask(new URL(url, engine), { method, headers }, resolve).on('error', reject).end(body);
  });
