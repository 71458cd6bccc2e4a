/**
 * Bundles functions without the packages that they import, so that all functions of a process share one copy of each
 * package.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { bundleOptions, chunksOf, PAGES_ENTRY } from '#infra/build/bundle.ts';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { trimming } from '#infra/build/trim.ts';
import { ROLE_OF_CALLER } from '#infra/local/lambda/role-of-caller.ts';
import { OWN_BUNDLE, PACKAGES_FILE, SHARED_PACKAGES } from '#infra/local/lambda/shared-packages.ts';

/** Prefix of package names in esbuild's metafile. */
const PACKAGE = 'package:';

/**
 * The maximum number of functions that one call of esbuild bundles. Building all functions in one call would take 600
 * MB of memory in esbuild, and would save no CPU time.
 */
const BUNDLES_AT_ONCE = 16;

interface Built {
  readonly files: readonly OutputFile[];
  /** All project files that were read, and the packages that they import, each with its imports. */
  readonly inputs: Metafile['inputs'];
}

/**
 * Options that build each function into `own.js` in its folder. The bundles are readable, so that a stack names
 * functions, and have source maps, so that it names files and a debugger finds breakpoints.
 */
export async function separateOptions(directory: string, functions: DeclaredFunctions) {
  const { plugins, ...options } = await bundleOptions(directory, functions, { file: OWN_BUNDLE });
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

export type SeparateOptions = Awaited<ReturnType<typeof separateOptions>>;

/** Builds the given entries, or all entries by default. Throws if an entry does not compile. */
export async function buildSeparately(
  { entryPoints, ...options }: SeparateOptions,
  entries?: ReadonlySet<string>,
): Promise<Built> {
  const files: OutputFile[] = [];
  const inputs: Metafile['inputs'] = {};
  const chosen = entryPoints.filter((entry) => entries?.has(entry.in) ?? true);
  for (const group of chunksOf(chosen, BUNDLES_AT_ONCE)) {
    const built = await build({ ...options, entryPoints: group, write: false, metafile: true });
    files.push(...built.outputFiles);
    Object.assign(inputs, built.metafile.inputs);
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

/**
 * Reads which files the entries import, directly and transitively, without writing bundles. A single bundle of all
 * entries needs the same files, and takes a fraction of the time.
 */
export async function readImports({ entryPoints, ...options }: SeparateOptions): Promise<Metafile['inputs']> {
  const contents = entryPoints.map((entry) => `import ${JSON.stringify(formatImport(entry.in))};`).join('\n');
  const stdin = { contents, resolveDir: options.absWorkingDir };
  const { metafile } = await build({ ...options, stdin, sourcemap: false, write: false, metafile: true });
  return metafile.inputs;
}

/** How an import names the entry: the name of a generated entry, or the path of a file. */
const formatImport = (entry: string): string => (entry.startsWith(PAGES_ENTRY) ? entry : `./${entry}`);

/** The packages among the files that a build read. */
export const packagesIn = (files: readonly string[]): string[] =>
  files.flatMap((file) => (isPackage(file) ? [file.slice(PACKAGE.length)] : [])).sort();

export const isPackage = (file: string): boolean => file.startsWith(PACKAGE);

/**
 * Bundles the packages into one file, which exports each of them under its name. `replaced` has the files that replace
 * packages, by package name.
 */
export async function bundlePackages(
  { entryPoints: _, outdir, plugins: __, sourcemap: ___, ...common }: SeparateOptions,
  names: readonly string[],
  replaced: Readonly<Record<string, string>> = {},
): Promise<void> {
  const contents = names.map((name) => `export * as '${name}' from '${name}';`).join('\n');
  const stdin = { contents, resolveDir: common.absWorkingDir };
  const trim = trimming();
  const outfile = join(outdir, PACKAGES_FILE);
  await build({ ...common, stdin, outfile, plugins: [trim.plugin], alias: replaced, external: [ROLE_OF_CALLER] });
  trim.refuseIdle();
}

/**
 * Replaces imports of packages with imports of the shared copies. Imports of project files begin with `#`, `.` or `/`.
 */
const withoutPackages: Plugin = {
  name: 'without packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind, namespace }) => {
      if (path === SHARED_PACKAGES) return { path, external: true };
      if (kind !== 'import-statement' || namespace === 'package' || path.includes(':')) return undefined;
      return { path, namespace: 'package' };
    });
    onLoad({ filter: /.*/, namespace: 'package' }, async ({ path }) => ({ contents: await standIn(path) }));
  },
};

/** Source of a module that re-exports a shared package. */
async function standIn(name: string): Promise<string> {
  const loaded: Record<string, unknown> = await import(name);
  const keys = Object.keys(Object(loaded['module.exports'] ?? loaded));
  const exported = keys.filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
  return [
    `const all = require('${SHARED_PACKAGES}')['${name}'];`,
    // Each export is marked as pure, so that esbuild drops unused exports.
    ...exported.map((key, index) => `const export${index} = /* @__PURE__ */ (() => all.${key})();`),
    `export { ${exported.map((key, index) => `export${index} as ${key}`)} };`,
  ].join('\n');
}
