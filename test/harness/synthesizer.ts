/** Synthesizes for all test processes in one process. The first synthesis of a process takes six times as long as the next. */
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
  // One after the other, so that equal settings find the assembly of the first request.
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

/** The folder of the assembly with these settings. Throws the error of its synthesis. */
export async function assemblyWith(context: Context): Promise<string> {
  const answer = await fetch(inject('synthesizer'), { method: 'POST', body: JSON.stringify(context) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
