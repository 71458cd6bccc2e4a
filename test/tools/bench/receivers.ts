/**
 * Starts webhook receivers, either in a separate process, where the receiver does not slow down the sender, or in this
 * process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { getPort } from '#infra/local/host/loopback.ts';
import type { BenchService } from './bench-service.ts';

export interface Receiver {
  readonly origin: string;
  close(): void;
}

/** Starts a minimal receiver in a separate process. */
export async function startReceiver(): Promise<Receiver> {
  const child = spawn(process.execPath, [import.meta.filename], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [origin] = z.tuple([z.string()]).parse(await once(createInterface(child.stdout), 'line'));
  return { origin, close: () => void child.kill() };
}

/** Starts a receiver that calls `onBody` with each body, and answers when the call has ended. */
export async function startLocalReceiver(onBody: (body: string) => void | Promise<void>): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    await onBody(await text(request));
    response.writeHead(204).end();
  });
  const origin = await listenTo(server);
  return {
    origin,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function listenTo(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${getPort(server)}`;
}

export async function addWebhook(
  { api, projectId }: Pick<BenchService, 'api' | 'projectId'>,
  { origin }: Receiver,
  hookEvents: readonly string[] = [],
) {
  const { status } = await api.post(`/webhooks?projectId=${projectId}`, { url: `${origin}/hook`, hookEvents });
  if (status !== 201) throw new Error(`Creating a webhook was answered with ${status}`);
}

if (import.meta.main) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  process.stdout.write(`${await listenTo(server)}\n`);
}
