/** Synthesized stacks. Test runs from the same sources share them, and stacks with different settings share their bundles. */
import { join } from 'node:path';
import { bundleFunctions } from '#infra/build/bundle.ts';
import { loadFunctions } from '#infra/build/declarations.ts';
import { synthesize } from '#infra/synth.ts';
import { cachedAssembly } from '#infra/synthesis-cache.ts';
import { bundleSeparately } from './separate-bundles.ts';

const OUTPUT = join(import.meta.dirname, '../../cdk.out');

/** The folder of the assembly with these settings. */
export const assemblyOf = (context: Readonly<Record<string, string>>): Promise<string> =>
  cachedAssembly(join(OUTPUT, 'tests'), context, async (outdir) =>
    synthesize({ outdir, context, bundles: await bundles() }),
  );

/** The folder of the bundled functions: the deployed bundles, bundles without packages, and the packages. */
export const bundles = (): Promise<string> =>
  cachedAssembly(join(OUTPUT, 'test-bundles'), {}, async (directory) => {
    const functions = await loadFunctions();
    await Promise.all([bundleFunctions(directory, functions), bundleSeparately(directory, functions)]);
  });
