/** A thread that serves assemblies to the test processes. */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';
import * as z from 'zod';
import { bind, LOOPBACK, portOf } from '#infra/local/host/loopback.ts';
import { assemblyOf, type Context } from './assemblies.ts';

const Settings = z.record(z.string(), z.string());

let last: Promise<unknown> = Promise.resolve();
// Synthesizes one assembly at a time, so that a request with the same settings reuses an earlier assembly.
const next = (context: Context): Promise<string> => {
  const made = last.then(() => assemblyOf(context));
  last = made.catch(() => {});
  return made;
};
const server = createServer(async (request, response) => {
  const made = next(Settings.parse(await json(request)));
  await made.then(
    (assembly) => response.end(assembly),
    (error: unknown) => response.writeHead(400).end(error instanceof Error ? error.message : String(error)),
  );
});
await bind(server, 0);
parentPort?.postMessage(`http://${LOOPBACK}:${portOf(server)}`);
