/** Once per run: the stack is synthesized, and the engines it runs on are started. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Engines, startEngines } from '#infra/local/engines.ts';
import { synthesize } from '#infra/synth.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the cloud assembly of `-c env=dev`. */
    readonly assembly: string;
    readonly engines: Omit<Engines, 'close'>;
  }
}

/** Nothing listens there: a test that needs an issuer brings its own. */
const NO_ISSUER = 'http://127.0.0.1:1';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const assembly = await mkdtemp(join(tmpdir(), 'rundown-synth-'));
  const [{ close, ...engines }] = await Promise.all([
    startEngines({}),
    synthesize({ outdir: assembly, context: { env: 'dev', oauthIssuer: NO_ISSUER, privateWebhooks: 'true' } }),
  ]);
  project.provide('assembly', assembly);
  project.provide('engines', engines);
  return async () => {
    await close();
    await rm(assembly, { recursive: true, force: true });
  };
}
