import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { readAssemblyRecord, storeAssemblyRecord } from '#infra/local/build/assembly-folder.ts';
import { BundleBuilder } from '#infra/local/build/bundle-builder.ts';
import { makeSeparateOptions } from '#infra/local/build/separate-bundles.ts';
import { temporaryFolder } from './child.ts';

const NO_FUNCTIONS: DeclaredFunctions = {
  endpoints: [],
  routeFunctions: [],
  pageFunctions: [],
  consumers: [],
  schedules: [],
  streams: [],
};

const FILES = {
  'one.ts': "import { greeting } from './greeting.ts';\nexport const handler = () => greeting;\n",
  'two.ts': "import * as z from 'zod';\nexport const handler = () => z.string();\n",
  'greeting.ts': "export const greeting = 'hello';\n",
};

/** A project with two functions, of which only the first imports `greeting.ts`. */
async function project() {
  const folder = await temporaryFolder();
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  for (const [file, text] of Object.entries(FILES)) await write(file, text);
  const outdir = join(folder, 'bundles');
  for (const name of ['one', 'two']) await mkdir(join(outdir, name), { recursive: true });
  const options = {
    ...(await makeSeparateOptions(outdir, NO_FUNCTIONS)),
    absWorkingDir: folder,
    entryPoints: ['one', 'two'].map((name) => ({ in: `${name}.ts`, out: `${name}/own` })),
  };
  const start = () => BundleBuilder.start({ functions: NO_FUNCTIONS, options, bundling: 'bundling' });
  const read = (name: string) => readFile(join(outdir, name, 'own.js'), 'utf8');
  return { write, start, read, remove: (file: string) => rm(join(folder, file)) };
}

describe('The bundles of the local service', () => {
  test('The bundle of a function is built at its first call, and again only after one of its files has changed', async () => {
    const { write, start, read } = await project();
    const builder = await start();
    expect(builder.listStale()).toEqual(['one', 'two']);
    await builder.ensure('one');
    expect(await read('one')).toContain('"hello"');
    expect(builder.listStale()).toEqual(['two']);
    await builder.ensure('two');
    await write('greeting.ts', "export const greeting = 'good day';\n");
    expect(builder.listStale()).toEqual(['one']);
    await builder.ensure('one');
    expect(await read('one')).toContain('"good day"');
    expect((await start()).listStale()).toEqual([]);
  });

  test('A file that changes during a build is in the bundle after the next call, even if that call begins during the build', async () => {
    const { write, start, read } = await project();
    const builder = await start();
    const first = builder.ensure('one');
    await write('greeting.ts', "export const greeting = 'good day';\n");
    await Promise.all([first, builder.ensure('one'), builder.ensure('one')]);
    expect(await read('one')).toContain('"good day"');
    expect(builder.listStale()).toEqual(['two']);
  });

  test('A function that does not compile names the place, leaves other functions alone, and works again once it is corrected', async () => {
    const { write, start, read } = await project();
    const builder = await start();
    await builder.build(['one', 'two']);
    await write('greeting.ts', 'export const greeting = ;\n');
    await expect(builder.ensure('one')).rejects.toThrow('greeting.ts:1:24: ERROR: Unexpected ";"');
    await builder.ensure('two');
    await write('greeting.ts', FILES['greeting.ts']);
    await builder.ensure('one');
    expect(await read('one')).toContain('"hello"');
  });

  test('A bundle whose imported file was deleted is not current, and one that no longer imports it is', async () => {
    const { write, start, remove } = await project();
    const builder = await start();
    await builder.build(['one', 'two']);
    await remove('greeting.ts');
    await expect(builder.ensure('one')).rejects.toThrow('Could not resolve "./greeting.ts"');
    await write('one.ts', "export const handler = () => 'hello';\n");
    // The first call finds out that the imports have changed, and the second one builds from them.
    await builder.ensure('one');
    await builder.ensure('one');
    expect(builder.listStale()).toEqual([]);
  });

  test('A package that no function imported at the start asks for a restart, because the service has loaded all packages', async () => {
    const { write, start } = await project();
    const builder = await start();
    expect(builder.packages).toEqual(['zod']);
    await write('one.ts', "import { SignJWT } from 'jose';\nexport const handler = () => SignJWT;\n");
    await expect(builder.ensure('one')).rejects.toThrow('No function has imported jose before: restart npm start');
  });
});

test.each(['', '{', '[]', '{"sources":1}'])(
  'npm start makes everything again if its notes about the last build are damaged: %j',
  async (text) => {
    const folder = await temporaryFolder();
    await storeAssemblyRecord(folder, { sources: 's', template: 't', packages: 'p', isComplete: true });
    expect(await readAssemblyRecord(folder)).toMatchObject({ sources: 's' });
    await writeFile(join(folder, 'made.json'), text);
    expect(await readAssemblyRecord(folder)).toBeUndefined();
  },
);
