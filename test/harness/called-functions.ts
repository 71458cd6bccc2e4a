/** Notes which functions each test file calls over HTTP, so that `npm run test:changed` knows what reaches a change. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod';
import { PROJECT } from './sources.ts';

const FOLDER = join(PROJECT, 'cdk.out/called-functions');
const Names = z.array(z.string());

const noteOf = (file: string): string => join(FOLDER, `${file}.json`);

/** Adds to what earlier runs noted, because a run with `-t` calls only some of the functions. */
export async function noteCalledFunctions(bundles: readonly string[]): Promise<void> {
  const file = relative(PROJECT, expect.getState().testPath ?? '');
  const earlier = (await readCalledFunctions(file)) ?? [];
  const names = [...new Set([...earlier, ...bundles.map((bundle) => basename(bundle))])].sort();
  if (names.length === earlier.length) return;
  await mkdir(dirname(noteOf(file)), { recursive: true });
  await writeFile(noteOf(file), JSON.stringify(names));
}

/** The names of the folders of bundles. `undefined` if the test file has not run yet, or if its note is damaged. */
export async function readCalledFunctions(file: string): Promise<string[] | undefined> {
  try {
    return Names.parse(JSON.parse(await readFile(noteOf(file), 'utf8')));
  } catch {
    return undefined;
  }
}
