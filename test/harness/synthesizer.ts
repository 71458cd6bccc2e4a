/**
 * Synthesizes the CDK app in one process for all test processes, because the first synthesis in a process takes six
 * times as long as later ones.
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { inject } from 'vitest';
import * as z from 'zod';
import { bind, closeServer, LOOPBACK, portOf } from '#infra/local/host/loopback.ts';
import { assemblyOf, type Context } from './assemblies.ts';

const Settings = z.record(z.string(), z.string());

export interface Synthesizer {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

export async function startSynthesizer(): Promise<Synthesizer> {
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
  return { origin: `http://${LOOPBACK}:${portOf(server)}`, close: () => closeServer(server) };
}

/** Returns the folder of the assembly that is synthesized with these settings. Throws if synthesis fails. */
export async function assemblyWith(context: Context): Promise<string> {
  const answer = await fetch(inject('synthesizer'), { method: 'POST', body: JSON.stringify(context) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
