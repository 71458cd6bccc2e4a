/** Builds all functions in one call of esbuild: one folder per function with `index.js` and its source map. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { type DeclaredEndpoint, PROJECT } from './declarations.ts';
import { openApiDocument } from './openapi.ts';
import { trim } from './trim.ts';

export interface Bundle {
  /** Holds `index.js` (CommonJS, minified, exports `handler`) and `index.js.map`. */
  readonly directory: string;
}

/** Bundles by the function's file name without its ending: `get-test-results`, `authorizer`. */
export type Bundles = ReadonlyMap<string, Bundle>;

/** Bundles every file under `functions/` into `directory`. Throws when one does not compile. */
export async function bundleFunctions(directory: string, endpoints: readonly DeclaredEndpoint[]): Promise<Bundles> {
  await build({
    absWorkingDir: PROJECT,
    entryPoints: (await functionFiles()).map((file) => ({ in: file, out: `${functionName(file)}/index` })),
    outdir: directory,
    bundle: true,
    platform: 'node',
    // Turns the SDK's `import('node:http')` into `require`, which costs less and needs no loader.
    supported: { 'dynamic-import': false },
    target: 'node24',
    // ESM output would add about 13 ms to each cold start. The ESM sources of packages ("module") allow tree shaking.
    format: 'cjs',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
    define: builtIn(endpoints),
    plugins: [trim],
  });
  return bundlesIn(directory);
}

/** The bundles that `bundleFunctions` built into this directory. */
export async function bundlesIn(directory: string): Promise<Bundles> {
  const names = (await functionFiles()).map(functionName);
  return new Map(names.map((name) => [name, { directory: join(directory, name) }]));
}

const functionName = (file: string): string => basename(file, '.ts');

/** The bundle of one file under `functions/`. */
export function bundleOf(bundles: Bundles, file: string): Bundle {
  const bundle = bundles.get(functionName(file));
  if (bundle === undefined) throw new Error(`${file} was not bundled: run the synthesis again`);
  return bundle;
}

async function functionFiles(): Promise<string[]> {
  const files = await readdir(join(PROJECT, 'functions'), { recursive: true });
  return files.filter((file) => file.endsWith('.ts')).map((file) => `functions/${file.replaceAll('\\', '/')}`);
}

/** Values compiled into functions: the authorizer's route table and the OpenAPI document. */
function builtIn(endpoints: readonly DeclaredEndpoint[]): Record<string, string> {
  const declarations = endpoints.map(({ declaration }) => declaration);
  const guarded = declarations.filter(({ credential }) => credential === 'header');
  const routes = guarded.map(({ method, path, permission }) => [`${method} ${path}`, permission]);
  return {
    BUILT_ROUTES: JSON.stringify(Object.fromEntries(routes)),
    BUILT_OPENAPI: JSON.stringify(gzipSync(JSON.stringify(openApiDocument(endpoints))).toString('base64')),
  };
}
