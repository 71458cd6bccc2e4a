/** Bundles functions without their packages, so that all functions of a process share one copy of each package. */

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { makeBundleOptions, splitIntoBatches } from '#infra/build/bundle.ts';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { PAGES_ENTRY } from '#infra/build/page-entry.ts';
import { makeTrimPlugin } from '#infra/build/trim.ts';
import { ROLE_OF_CALLER } from '#infra/local/lambda/role-of-caller.ts';
import { OWN_BUNDLE, PACKAGES_FILE, SHARED_PACKAGES } from '#infra/local/lambda/shared-packages.ts';

/** Prefix of package names in esbuild's metafile. */
const PACKAGE = 'package:';

/** One call for all functions would take 600 MB of memory in esbuild, and would save no CPU time. */
const BUNDLES_AT_ONCE = 16;

interface SeparateBuild {
  readonly files: readonly OutputFile[];
  /** All project files that were read, and the packages that they import, each with its imports. */
  readonly inputs: Metafile['inputs'];
}

/** Readable with source maps, so that stacks name functions and files, and a debugger finds breakpoints. */
export async function makeSeparateOptions(directory: string, functions: DeclaredFunctions) {
  const { plugins, ...options } = await makeBundleOptions(directory, functions, { file: OWN_BUNDLE });
  return {
    ...options,
    minify: false,
    // Errors are thrown, and whoever called the function prints them.
    logLevel: 'silent',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [...plugins, withoutPackages],
  } satisfies BuildOptions;
}

export type SeparateOptions = Awaited<ReturnType<typeof makeSeparateOptions>>;

/** Builds the given entries, or all entries by default. Throws if an entry does not compile. */
export async function buildSeparately(
  { entryPoints, ...options }: SeparateOptions,
  entries?: ReadonlySet<string>,
): Promise<SeparateBuild> {
  const files: OutputFile[] = [];
  const inputs: Metafile['inputs'] = {};
  const chosenEntries = entryPoints.filter((entry) => entries?.has(entry.in) ?? true);
  for (const group of splitIntoBatches(chosenEntries, BUNDLES_AT_ONCE)) {
    const result = await build({ ...options, entryPoints: group, write: false, metafile: true });
    files.push(...result.outputFiles);
    Object.assign(inputs, result.metafile.inputs);
  }
  return { files, inputs };
}

/** Replaces each file at once, because a function may load its bundle at any time. */
export async function writeBundles(files: readonly OutputFile[]): Promise<void> {
  for (const { path, contents } of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.new`, contents);
    await rename(`${path}.new`, path);
  }
}

/** A single bundle of all entries, which is not written, needs the same files and takes a fraction of the time. */
export async function readImports({ entryPoints, ...options }: SeparateOptions): Promise<Metafile['inputs']> {
  const contents = entryPoints.map((entry) => `import ${JSON.stringify(formatImport(entry.in))};`).join('\n');
  const stdin = { contents, resolveDir: options.absWorkingDir };
  const { metafile } = await build({ ...options, stdin, sourcemap: false, write: false, metafile: true });
  return metafile.inputs;
}

const formatImport = (entry: string): string => (entry.startsWith(PAGES_ENTRY) ? entry : `./${entry}`);

export const listPackages = (files: readonly string[]): string[] =>
  files.flatMap((file) => (isPackage(file) ? [file.slice(PACKAGE.length)] : [])).sort();

export const isPackage = (file: string): boolean => file.startsWith(PACKAGE);

/** The replacement with which functions call the embedded table without the AWS SDK. */
export const PLAIN_TABLE = {
  '@aws-sdk/lib-dynamodb': join(import.meta.dirname, '../stores/plain-dynamodb.ts'),
} as const;

/** Bundles packages into one file, which exports each under its name. `replacements`: their files by package name. */
export async function bundlePackages(
  { entryPoints: _, outdir, plugins: __, sourcemap: ___, ...options }: SeparateOptions,
  names: readonly string[],
  replacements: Readonly<Record<string, string>> = {},
): Promise<void> {
  const contents = names.map((name) => `export * as '${name}' from '${name}';`).join('\n');
  const stdin = { contents, resolveDir: options.absWorkingDir };
  const trim = makeTrimPlugin();
  const outfile = join(outdir, PACKAGES_FILE);
  await build({ ...options, stdin, outfile, plugins: [trim.plugin], alias: replacements, external: [ROLE_OF_CALLER] });
  trim.refuseIdle();
}

/** Imports of project files begin with `#`, `.` or `/`. */
const withoutPackages: Plugin = {
  name: 'without packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind, namespace }) => {
      if (path === SHARED_PACKAGES) return { path, external: true };
      if (kind !== 'import-statement' || namespace === 'package' || path.includes(':')) return undefined;
      return { path, namespace: 'package' };
    });
    onLoad({ filter: /.*/, namespace: 'package' }, async ({ path }) => ({ contents: await generateReexports(path) }));
  },
};

async function generateReexports(name: string): Promise<string> {
  const loadedModule: Record<string, unknown> = await import(name);
  const keys = Object.keys(Object(loadedModule['module.exports'] ?? loadedModule));
  const exportedKeys = keys.filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
  return [
    `const all = require('${SHARED_PACKAGES}')['${name}'];`,
    // Each export is marked as pure, so that esbuild drops unused exports.
    ...exportedKeys.map((key, index) => `const export${index} = /* @__PURE__ */ (() => all.${key})();`),
    `export { ${exportedKeys.map((key, index) => `export${index} as ${key}`)} };`,
  ].join('\n');
}
