/** `npm run client` builds the command as an npm package and as a GitHub Action. */

import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { printLine } from '#infra/cli/terminal.ts';

/**
 * Builds the command into a folder that is both an npm package and a GitHub Action: one file without dependencies.
 * Neither names a package of a registry, because whoever owned that name would get the API keys of its users.
 */
const SOURCES = import.meta.dirname;
const COPIED = ['package/package.json', 'package/README.md', 'action.yml'];

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
  for (const file of COPIED) await copyFile(join(SOURCES, file), join(folder, basename(file)));
}

const FOLDER = join(import.meta.dirname, '../../cdk.out/client');

await buildClient(FOLDER);
printLine(`Built ${FOLDER}`);
printLine('As a GitHub Action: copy the folder to .github/actions/rundown of your repository, and commit it');
printLine(`As an npm package: npm pack ${FOLDER}, and install the file that it writes`);
