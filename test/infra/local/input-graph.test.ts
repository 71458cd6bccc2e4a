/** After a source change, `npm start` bundles only the functions whose bundles can contain the changed file. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeEach, expect, test } from 'vitest';
import { computeInputsDigest, computeValueDigest, readGraph } from '#infra/local/build/input-graph.ts';
import { temporaryFolder } from './child.ts';

const ENTRIES = ['one.ts', 'two.ts', 'three.ts'];
const FILES: Readonly<Record<string, string>> = {
  'one.ts': "import { used } from './list.ts'; console.log(used);",
  'two.ts': "import { used, unused } from './list.ts'; if (false) console.log(used, unused);",
  'three.ts': "import { other } from './other.ts'; console.log(other);",
  'list.ts': "export { used } from './used.ts'; export { unused } from './unused.ts';",
  'used.ts': "export const used = 'used';",
  'unused.ts': "export const unused = 'unused';",
  'other.ts': "export const other = 'other';",
};

let folder: string;
let graph: Map<string, readonly string[]>;
/** The digests of the inputs from which each entry was bundled. */
let bundled: Map<string, string>;

const digestFile = (file: string): string => computeValueDigest(readFileSync(join(folder, file), 'utf8'));
const digestEntry = (entry: string): string => computeInputsDigest(entry, graph, digestFile);
const change = (file: string, text: string) => writeFile(join(folder, file), text);

/** Bundles the functions whose inputs changed, and returns their entry files. */
async function bundle(): Promise<string[]> {
  const entryPoints = ENTRIES.filter((entry) => bundled.get(entry) !== digestEntry(entry));
  const options = { absWorkingDir: folder, outdir: 'unused', bundle: true, write: false, metafile: true } as const;
  const { metafile } = await build({ ...options, entryPoints });
  for (const [file, imports] of readGraph(metafile.inputs)) graph.set(file, imports);
  for (const entry of entryPoints) bundled.set(entry, digestEntry(entry));
  return entryPoints;
}

beforeEach(async () => {
  folder = await temporaryFolder();
  graph = new Map();
  bundled = new Map();
  for (const [file, text] of Object.entries(FILES)) await change(file, text);
  expect(await bundle()).toEqual(ENTRIES);
});

test.each([
  ['one.ts', ['one.ts']],
  ['other.ts', ['three.ts']],
  ['list.ts', ['one.ts', 'two.ts']],
  ['used.ts', ['one.ts', 'two.ts']],
  // This file is not in any bundle, but it is still an input, because a change to another file can add it to a bundle.
  ['unused.ts', ['one.ts', 'two.ts']],
])('A change to %s causes a rebuild of exactly the bundles that can contain it', async (file, changed) => {
  expect(await bundle()).toEqual([]);
  await change(file, `${FILES[file]} // changed`);
  expect(await bundle()).toEqual(changed);
  expect(await bundle()).toEqual([]);
});

test('A change to a file causes a rebuild of a bundle only while the bundle imports the file', async () => {
  await change('three.ts', "import { used } from './used.ts'; console.log(used);");
  expect(await bundle()).toEqual(['three.ts']);
  await change('used.ts', "export const used = 'other';");
  expect(await bundle()).toEqual(ENTRIES);
  await change('other.ts', 'export const other = 1;');
  expect(await bundle()).toEqual([]);
});
