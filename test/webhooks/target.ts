/** An internal server on the loopback address, which counts connections. SSRF tricks try to reach it. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Target {
  readonly port: number;
  readonly connections: () => number;
  /** The number of connections on which data arrived. */
  readonly reached: () => number;
}

export async function target(): Promise<Target> {
  let connections = 0;
  let reached = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once('data', () => {
      reached += 1;
      socket.destroy();
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The target has no port');
  return { port: address.port, connections: () => connections, reached: () => reached };
}
