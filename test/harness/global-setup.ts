/** Runs once per test run: synthesizes the stack and starts the local engines. */
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { openApiDocument } from '#infra/build/openapi.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { synthesize } from '#infra/synth.ts';
import { cachedAssembly } from '#infra/synthesis-cache.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the cloud assembly of `-c env=dev`. */
    readonly assembly: string;
    readonly engines: Omit<Engines, 'close'>;
    /** The OpenAPI document that validates every response. */
    readonly openapi: object;
  }
}

/** Test runs from the same sources share the synthesized stack. */
export const ASSEMBLIES = join(import.meta.dirname, '../../cdk.out/tests');

/** An unused address. Tests that need an issuer start their own. */
const NO_ISSUER = 'http://127.0.0.1:1';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const context = { env: 'dev', oauthIssuer: NO_ISSUER, privateWebhooks: 'true' };
  const [{ close, ...engines }, assembly] = await Promise.all([
    startEngines({}),
    cachedAssembly(ASSEMBLIES, context, (outdir) => synthesize({ outdir, context })),
  ]);
  project.provide('assembly', assembly);
  project.provide('openapi', openApiDocument(await loadDeclarations()));
  project.provide('engines', engines);
  return close;
}
