/** The packages whose code a release contains, in the functions with their pages and in the client. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import * as z from 'zod';
import { TRACE_VIEWER_PACKAGE } from '#infra/build/assets.ts';
import { bundleOptions } from '#infra/build/bundle.ts';
import { loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { trimming } from '#infra/build/trim.ts';
import { clientBuilds } from '#infra/client/build.ts';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression in the manifest of the package. */
  readonly license: string;
  /** The folder of the package, relative to the project. */
  readonly folder: string;
}

export interface BundledPackages {
  /** The packages in the functions, and the trace viewer that they serve. */
  readonly service: readonly BundledPackage[];
  readonly client: readonly BundledPackage[];
}

export async function bundledPackages(): Promise<BundledPackages> {
  const service = await packagesOfService();
  const ofClient = await Promise.all(clientBuilds('unused').map(foldersIn));
  return { service, client: await described(ofClient.flat()) };
}

/**
 * Bundles all functions into one file. It contains the same packages as separate bundles, and takes a fraction of the
 * time to build.
 */
async function packagesOfService(): Promise<BundledPackage[]> {
  const { plugins, entryPoints, ...options } = await bundleOptions('unused', await loadFunctions());
  const sources = entryPoints.map((entry) => entry.in);
  const together = {
    ...options,
    // If node_modules is a symbolic link, esbuild would otherwise name the folders of packages differently from the
    // lock file.
    preserveSymlinks: true,
    entryPoints: [ALL],
    plugins: [trimming().plugin, allOf(sources), ...plugins],
  } satisfies BuildOptions;
  return described([...(await foldersIn(together)), TRACE_VIEWER_PACKAGE]);
}

const ALL = 'all-functions';

/** An entry that imports all other entries. */
const allOf = (entries: readonly string[]): Plugin => ({
  name: 'all functions',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^all-functions$/ }, () => ({ path: ALL, namespace: ALL }));
    onLoad({ filter: /.*/, namespace: ALL }, () => {
      const address = (entry: string) => JSON.stringify(entry.endsWith('.ts') ? `./${entry}` : entry);
      const lines = entries.map((entry, index) => `export * as entry${index} from ${address(entry)};`);
      return { contents: lines.join('\n'), resolveDir: PROJECT, loader: 'ts' };
    });
  },
});

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The folders of the packages that contribute code to the outputs of a build. */
async function foldersIn(options: BuildOptions): Promise<string[]> {
  const { metafile } = await build({ ...options, write: false, metafile: true });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? (FOLDER.exec(file)?.[0] ?? []) : [],
    ),
  );
}

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The packages in these folders, sorted by name and version, each once. */
async function described(folders: readonly string[]): Promise<BundledPackage[]> {
  const packages = await Promise.all(
    [...new Set(folders)].map(async (folder) => {
      const manifest: unknown = JSON.parse(await readFile(join(PROJECT, folder, 'package.json'), 'utf8'));
      return { ...Manifest.parse(manifest), folder };
    }),
  );
  const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  return [...unique.values()].sort(
    (one, other) => compare(one.name, other.name) || compare(one.version, other.version),
  );
}

/** Unlike `localeCompare`, this order is the same on each machine. */
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
