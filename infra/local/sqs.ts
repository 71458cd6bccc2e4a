/** The embedded SQS: fauxqs in this process. Its queues live in memory: a restart empties them. */
import { buildApp } from 'fauxqs';
import type { Engine } from './engines.ts';
import { LOOPBACK } from './http-server.ts';

/** Its own `startFauxqs` would listen on all interfaces. */
export async function startSqs(): Promise<Engine> {
  const app = buildApp({ logger: false, host: LOOPBACK });
  const endpoint = await app.listen({ host: LOOPBACK, port: 0 });
  return { endpoint, close: async () => void (await app.close()) };
}
