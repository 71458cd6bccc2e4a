/** Builds `rundown-cdk` with all bundles: apps need no esbuild. Without source maps, which would triple its size. */
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { NOTICES } from '#infra/build/assets.ts';
import { loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { loadRowKinds } from '#infra/build/row-kinds.ts';
import { declareProperties } from '#infra/stacks/settings.ts';

const SOURCES = import.meta.dirname;
const TYPES = 'index.d.ts';
const COPIED = [join(SOURCES, 'package/package.json'), join(SOURCES, 'README.md'), join(PROJECT, 'LICENSE'), NOTICES];

/** `bundles` is the folder that `bundleFunctions` filled. */
export async function buildConstructPackage(folder: string, bundles: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await build({
    absWorkingDir: PROJECT,
    entryPoints: [join(SOURCES, 'rundown.ts')],
    outfile: resolve(folder, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    external: ['aws-cdk-lib', 'constructs'],
    define: {
      'import.meta.dirname': '__dirname',
      BUILT_FUNCTIONS: toDataJson(await loadFunctions()),
      BUILT_ROW_KINDS: toDataJson(await loadRowKinds()),
    },
    logLevel: 'error',
  });
  const types = await readFile(join(SOURCES, 'package', TYPES), 'utf8');
  await writeFile(join(folder, TYPES), types.replace(/^ {2}\/\/ The build adds .*\n/m, declareProperties()));
  for (const file of COPIED) await copyFile(file, join(folder, basename(file)));
  await cp(bundles, join(folder, 'bundles'), { recursive: true });
}

/** JSON without schemas and code. */
const toDataJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (one instanceof z.ZodType ? undefined : one));
