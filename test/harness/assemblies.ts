/**
 * Synthesizes stacks. Test runs share them until the sources change, and stacks with different settings share the
 * function bundles.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunctions } from '#infra/build/bundle.ts';
import { loadFunctions } from '#infra/build/declarations.ts';
import {
  buildSeparately,
  bundlePackages,
  packagesIn,
  separateOptions,
  writeBundles,
} from '#infra/local/build/separate-bundles.ts';
import { synthesize } from '#infra/synth.ts';
import { cachedAssembly } from '#infra/synthesis-cache.ts';

const OUTPUT = join(import.meta.dirname, '../../cdk.out');

export type Context = Readonly<Record<string, string>>;

/** The settings of the stack that serves tests. */
const SERVED: Context = { env: 'dev', privateWebhooks: 'true' };

/**
 * Returns the folder of the cloud assembly with these settings. The bundles of its functions do not include npm
 * packages, which makes bundling five times as fast.
 */
export const assemblyOf = (context: Context = SERVED): Promise<string> =>
  cachedAssembly(join(OUTPUT, 'tests'), context, async (outdir) =>
    synthesize({ outdir, context, bundles: await separateBundles() }),
  );

/**
 * Returns the folder of a cloud assembly with the bundles that a deployment would upload. Its template refers to the
 * bundles, which are 100 MB, and is not checked again, because it differs from the template of `assemblyOf()` only in
 * the names of the bundles.
 */
export async function deployedAssembly(): Promise<string> {
  const bundles = await deployedBundles();
  return cachedAssembly(join(OUTPUT, 'deployed-tests'), SERVED, (outdir) =>
    synthesize({ outdir, context: SERVED, bundles, local: true }),
  );
}

/** The folder of the bundles that a deployment would upload. */
export const deployedBundles = (): Promise<string> =>
  cachedAssembly(join(OUTPUT, 'deployed-bundles'), {}, async (directory) => {
    await bundleFunctions(directory, await loadFunctions());
  });

/** The client of the table in the packages that functions share, and the files of this folder that it imports. */
const CLIENT_OF_TABLE = ['plain-dynamodb.ts', 'attribute-wire.ts', 'kept-connection.ts'];

/** The folder with the bundles that do not include npm packages, and with one file that contains all npm packages. */
export const separateBundles = async (): Promise<string> => {
  const files = CLIENT_OF_TABLE.map((name) => join(import.meta.dirname, name));
  const [client = ''] = files;
  const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return cachedAssembly(join(OUTPUT, 'separate-bundles'), { client: sources.join() }, async (directory) => {
    const options = await separateOptions(directory, await loadFunctions());
    const { files, inputs } = await buildSeparately(options);
    await writeBundles(files);
    await bundlePackages(options, packagesIn(Object.keys(inputs)), { '@aws-sdk/lib-dynamodb': client });
  });
};
