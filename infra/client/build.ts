/**
 * Builds the command and the reporters into a folder that is both an npm package and a GitHub Action, without
 * dependencies. The reporters exist in both module formats, because the frameworks load them with `import` or `require`.
 * Neither the package nor the action refers to a package in a public registry, because the owner of such a package
 * could read the API keys of the users.
 */
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const SOURCES = import.meta.dirname;
const COPIED = ['package/package.json', 'package/README.md', 'package/reporter.d.ts', 'action.yml'];
const REPORTERS = ['playwright', 'vitest'];

export async function buildClient(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const outfile = join(folder, 'rundown.js');
  await build({
    entryPoints: [join(SOURCES, 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: {
      js: '#!/usr/bin/env node\nimport { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: 'error',
  });
  await chmod(outfile, 0o755);
  await Promise.all([buildReporters(folder, 'esm'), buildReporters(folder, 'cjs')]);
  for (const file of COPIED) await copyFile(join(SOURCES, file), join(folder, basename(file)));
}

/** Packages of the frameworks are not bundled, because each suite has its own version of them. */
const buildReporters = (outdir: string, format: 'esm' | 'cjs') =>
  build({
    entryPoints: REPORTERS.map((name) => join(SOURCES, `reporters/${name}.ts`)),
    outdir,
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

const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';
