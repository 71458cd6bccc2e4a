/**
 * Synthesizes the CDK app in one thread for all test processes, because the first synthesis takes six times as long as
 * later ones. A synthesis blocks its thread for seconds, so it must not share the thread of the local AWS engines: their
 * clients would give up.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { inject } from 'vitest';
import type { Context } from './assemblies.ts';

export interface Synthesizer {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

export async function startSynthesizer(): Promise<Synthesizer> {
  const thread = new Worker(new URL('./synthesizer-thread.ts', import.meta.url));
  const [origin] = await once(thread, 'message');
  return { origin: String(origin), close: async () => void (await thread.terminate()) };
}

/** Returns the folder of the assembly that is synthesized with these settings. Throws if synthesis fails. */
export async function assemblyWith(context: Context): Promise<string> {
  const answer = await fetch(inject('synthesizer'), { method: 'POST', body: JSON.stringify(context) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
