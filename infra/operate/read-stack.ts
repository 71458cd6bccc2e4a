/** `npm run stack`: names functions' source files in the stacks of a deployment, whose bundles are minified. */

import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { makeBundleOptions } from '#infra/build/bundle.ts';
import { describeCommit } from '#infra/build/commit.ts';
import { loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { findSourcePlace, replacePlaces } from '#infra/build/source-places.ts';
import { trimPart } from '#infra/build/trim.ts';
import { printLine, TEXT } from '#infra/cli/terminal/terminal.ts';
import { UsageError } from '#infra/cli/terminal/usage-error.ts';
import { runOperation } from './operation.ts';

const USAGE = `Usage: npm run stack -- --function <name> [--commit <commit>] < log line

Reads a log line or a stack of a deployed function from standard input, and prints it with the places in source files.
Run it in a checkout of the deployed commit, after npm ci: it builds the bundle of the function once more.

  --function <name>   the function, as in the name of its log group: getRun, or rundown-prod-getRun
  --commit <commit>   the deployed commit, which is part of some bundles. Default: the one of this checkout`;

const OPTIONS = { function: TEXT, commit: TEXT, help: { type: 'boolean' } } as const;

async function readStack(): Promise<void> {
  const { function: name, commit = describeCommit(), help } = parseArgs({ options: OPTIONS }).values;
  if (help) return printLine(USAGE);
  if (name === undefined) throw new UsageError('Missing --function');
  const { map, folder } = await buildMap(name, commit);
  const stack = (await text(process.stdin)).replaceAll('\\n', '\n').trimEnd();
  printLine(replacePlaces(stack, 'index.js', (_, place) => findSourcePlace(map, folder, place)));
}

/** Builds the bundle as a deployment does, and returns its source map and its folder. */
async function buildMap(name: string, commit: string | undefined) {
  const directory = join(PROJECT, 'cdk.out/stack');
  const { plugins, entryPoints, ...options } = await makeBundleOptions(directory, await loadFunctions(), { commit });
  const folder = toKebabCase(name.replace(/^rundown-(dev|staging|prod)-/, ''));
  const entry = entryPoints.find(({ out }) => out === `${folder}/index`);
  if (entry === undefined) throw new UsageError(`--function ${name} is no function of this version`);
  const { outputFiles } = await build({
    ...options,
    entryPoints: [entry],
    plugins: [trimPart, ...plugins],
    sourcemap: 'external',
    sourcesContent: false,
    write: false,
  });
  const map = outputFiles.find(({ path }) => path.endsWith('.map'));
  if (map === undefined) throw new Error(`esbuild made no source map of ${name}`);
  return { map: new SourceMap(JSON.parse(map.text)), folder: join(directory, folder) };
}

const toKebabCase = (name: string): string => name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

await runOperation(USAGE, readStack);
