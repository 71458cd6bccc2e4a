/**
 * Builds the command into a folder that is both an npm package and a GitHub Action: one file without dependencies.
 * Neither the package nor the action refers to a package in a public registry, because the owner of such a package
 * could read the API keys of the users.
 */
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';

const SOURCES = import.meta.dirname;
const PROJECT = join(SOURCES, '../..');
const COPIED = ['package/package.json', 'package/README.md', 'action.yml'];

export async function buildClient(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const outfile = resolve(folder, 'rundown.js');
  await build({
    // The output names the files that it was made from. These names, and so the hash of the package, must not depend on
    // where the project is or from where it is built.
    absWorkingDir: PROJECT,
    preserveSymlinks: true,
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
  for (const file of COPIED) await copyFile(join(SOURCES, file), join(folder, basename(file)));
}
