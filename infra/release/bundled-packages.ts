/** The packages whose code a release contains, in the functions with their pages and in the client. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import * as z from 'zod';
import { makeBundleOptions } from '#infra/build/bundle.ts';
import { loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { TRACE_VIEWER_PACKAGE } from '#infra/build/trace-viewer.ts';
import { makeTrimPlugin } from '#infra/build/trim.ts';
import { makeClientBuilds } from '#infra/client/build.ts';

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

export async function listBundledPackages(): Promise<BundledPackages> {
  const service = await listServicePackages();
  const ofClient = await Promise.all(makeClientBuilds('unused').map(listPackageFolders));
  return { service, client: await readPackages(ofClient.flat()) };
}

/** One bundle of all functions contains the same packages, and takes a fraction of the time to build. */
async function listServicePackages(): Promise<BundledPackage[]> {
  const { plugins, entryPoints, ...options } = await makeBundleOptions('unused', await loadFunctions());
  const sources = entryPoints.map((entry) => entry.in);
  const together = {
    ...options,
    // If node_modules is a symbolic link, esbuild would name the folders differently from the lock file.
    preserveSymlinks: true,
    entryPoints: [ALL_FUNCTIONS],
    plugins: [makeTrimPlugin().plugin, importAllFunctions(sources), ...plugins],
  } satisfies BuildOptions;
  return readPackages([...(await listPackageFolders(together)), TRACE_VIEWER_PACKAGE]);
}

/** The name of a module that exists only during the build, and exports everything that the functions export. */
const ALL_FUNCTIONS = 'all-functions';

/**
 * Defines that module. An entry with an ending is a file of the project. One without is itself a name that the other
 * plugins resolve, because its module also exists only during the build.
 */
const importAllFunctions = (entries: readonly string[]): Plugin => ({
  name: ALL_FUNCTIONS,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^all-functions$/ }, () => ({ path: ALL_FUNCTIONS, namespace: ALL_FUNCTIONS }));
    onLoad({ filter: /.*/, namespace: ALL_FUNCTIONS }, () => {
      const specifiers = entries.map((entry) => (entry.endsWith('.ts') ? `./${entry}` : entry));
      const lines = specifiers.map((name, index) => `export * as entry${index} from ${JSON.stringify(name)};`);
      return { contents: lines.join('\n'), resolveDir: PROJECT, loader: 'ts' };
    });
  },
});

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The folders of the packages that contribute code to the outputs of a build. */
async function listPackageFolders(options: BuildOptions): Promise<string[]> {
  const { metafile } = await build({ ...options, write: false, metafile: true });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? (FOLDER.exec(file)?.[0] ?? []) : [],
    ),
  );
}

const Manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** The packages in these folders, sorted by name and version, each once. */
async function readPackages(folders: readonly string[]): Promise<BundledPackage[]> {
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
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
