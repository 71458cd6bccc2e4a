/** Builds the functions: one folder per function with `index.js`. */
import { type BuildOptions, build } from 'esbuild';
import TSCONFIG from '../../tsconfig.json' with { type: 'json' };
import { type Bundles, listBundles, listFunctionFiles, toFunctionName } from './bundles.ts';
import { buildConstants } from './constants.ts';
import { type DeclaredFunctions, PROJECT } from './declarations.ts';
import { makePageEntryPlugin, PAGES_ENTRY } from './page-entry.ts';
import { makeTrimPlugin } from './trim.ts';

/** Throws if a function does not compile. The functions show `commit` as the commit that was deployed. */
export async function bundleFunctions(
  directory: string,
  functions: DeclaredFunctions,
  commit?: string,
): Promise<Bundles> {
  const { plugins, entryPoints, ...options } = await makeBundleOptions(directory, functions, { commit });
  const trim = makeTrimPlugin();
  for (const group of splitIntoBatches(entryPoints, BUNDLES_AT_ONCE))
    await build({ ...options, entryPoints: group, plugins: [trim.plugin, ...plugins] });
  trim.refuseIdle();
  return listBundles(directory, functions);
}

/**
 * The maximum number of functions that one call of esbuild bundles. esbuild links all entries of a call at the same
 * time, each with its own copy of the modules, which would take 3 GB of memory for all functions. Each call parses the
 * packages again, so groups of this size cost a seventh more CPU time than a single call.
 */
const BUNDLES_AT_ONCE = 16;

export const splitIntoBatches = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));

/** Options for esbuild. `file`: name of each output file, without its extension. */
export async function makeBundleOptions(
  directory: string,
  functions: DeclaredFunctions,
  { file = 'index', commit }: { readonly file?: string; readonly commit?: string | undefined } = {},
) {
  const { pageFunctions } = functions;
  return {
    absWorkingDir: PROJECT,
    entryPoints: [
      ...listFunctionFiles(functions).map((path) => ({ in: path, out: `${toFunctionName(path)}/${file}` })),
      ...pageFunctions.map(({ name, folder }) => ({ in: `${PAGES_ENTRY}${name}`, out: `${folder}/${file}` })),
    ],
    outdir: directory,
    bundle: true,
    platform: 'node',
    // Turns `import('node:http')` in the AWS SDK into `require`, which is faster and needs no loader.
    supported: { 'dynamic-import': false },
    target: 'node24',
    // The output is CommonJS, because ESM output would add about 13 ms to each cold start. esbuild reads the ESM
    // sources of packages ("module"), because only these allow tree shaking.
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    logLevel: 'error',
    // Drops imports that only the exports of other functions need. See `keepExports`.
    tsconfigRaw: JSON.stringify({ compilerOptions: { ...TSCONFIG.compilerOptions, verbatimModuleSyntax: false } }),
    define: await buildConstants(functions, commit),
    plugins: [makePageEntryPlugin(pageFunctions)],
  } satisfies BuildOptions;
}
