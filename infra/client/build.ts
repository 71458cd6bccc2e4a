/**
 * Builds the command and the reporters into a folder that is both an npm package and a GitHub Action, without
 * dependencies. The reporters exist in both module formats, because the frameworks load them with `import` or
 * `require`. Neither the package nor the action refers to a package in a public registry, because the owner of
 * such a package could read the API keys of the users.
 */
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const SOURCES = import.meta.dirname;
const PROJECT = join(SOURCES, '../..');
const COPIED = [
  'package/package.json',
  'package/README.md',
  'package/reporter.d.ts',
  'package/playwright-fixtures.d.ts',
  'package/vitest-rules.d.ts',
  'package/THIRD-PARTY-NOTICES',
  'action.yml',
  '../../LICENSE',
];
const PROGRAM = 'rundown.js';
const REPORTERS = ['playwright', 'playwright-fixtures', 'vitest', 'vitest-rules', 'jest', 'node-test'];

/** The output names its source files. So the hash of the package must not depend on where the project is built. */
const REPRODUCIBLE = { absWorkingDir: PROJECT, preserveSymlinks: true } as const;

/** Bundled CommonJS modules call `require`, which ES modules do not have. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

export async function buildClient(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(makeClientBuilds(folder).map((options) => build(options)));
  await chmod(resolve(folder, PROGRAM), 0o755);
  for (const file of COPIED) await copyFile(join(SOURCES, file), join(folder, basename(file)));
}

export const makeClientBuilds = (folder: string): BuildOptions[] => [
  {
    ...REPRODUCIBLE,
    entryPoints: [join(SOURCES, 'main.ts')],
    outfile: resolve(folder, PROGRAM),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
    logLevel: 'error',
  },
  makeReporterBuild(folder, 'esm'),
  makeReporterBuild(folder, 'cjs'),
];

/** Packages of the frameworks are not bundled, because each suite has its own version of them. */
const makeReporterBuild = (outdir: string, format: 'esm' | 'cjs'): BuildOptions => ({
  ...REPRODUCIBLE,
  entryPoints: REPORTERS.map((name) => join(SOURCES, `reporters/${name}.ts`)),
  outdir: resolve(outdir),
  outExtension: { '.js': format === 'esm' ? '.js' : '.cjs' },
  bundle: true,
  packages: 'bundle',
  external: ['vitest', 'vitest/*', '@playwright/test', '@jest/*', 'jest'],
  platform: 'node',
  target: 'node20',
  format,
  ...(format === 'esm' ? { banner: { js: REQUIRE } } : {}),
  logLevel: 'error',
});
