/** Builds the npm package of the command into a folder: one file without dependencies. */
import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const SOURCES = import.meta.dirname;
const COPIED = ['package.json', 'README.md'];

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
  for (const file of COPIED) await copyFile(join(SOURCES, 'package', file), join(folder, file));
}
