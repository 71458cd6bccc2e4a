/** The functions of a test file share loaded packages, and must behave as if each of them had loaded its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FunctionHandler, loadHandler } from '#infra/local/lambda/function-runtime.ts';
import { loadSharedPackages } from '#infra/local/lambda/shared-packages.ts';
import { temporaryFolder } from './child.ts';
import { CONTEXT } from './lambda-context.ts';

/** The source of a package. Like the AWS SDK, it keeps references to functions of Node's modules when it is loaded. */
const PACKAGES = `
  const http = require('node:http'), environment = require('node:process');
  const { request } = http;
  exports.probe = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    console.info('from a package');
    const kept = request('kept');
    return [process.env.NAME, environment.env.NAME, process.env.PATH, kept, http.request('named'), await fetch('url')];
  };
  exports.loads = (exports.loads ?? 0) + 1;`;

const OWN = `
  const { probe, loads } = require('shared-packages');
  let calls = 0;
  exports.handler = async () => ({ seen: await probe(), calls: ++calls, loads });`;

async function stage() {
  const folder = await temporaryFolder();
  const packages = join(folder, 'packages.cjs');
  await writeFile(packages, PACKAGES);
  const load = async (name: string): Promise<{ handler: FunctionHandler; log: string[] }> => {
    const directory = join(folder, name);
    await mkdir(directory);
    await writeFile(join(directory, 'own.js'), OWN);
    const log: string[] = [];
    const modules = { http: { request: (what: string) => `${name} requests ${what}` } };
    const answer = async () => Response.json(`${name} fetches`);
    const source = {
      directory,
      handler: 'index.handler',
      environment: { NAME: name },
      modules,
      fetch: answer,
      packages,
    };
    return { handler: loadHandler(source, { onLog: (line) => log.push(line), onFault: () => {} }), log };
  };
  return { packages, load };
}

const seenBy = (name: string) => [
  name,
  name,
  undefined,
  `${name} requests kept`,
  `${name} requests named`,
  expect.any(Response),
];

test('A function with shared packages keeps its own environment, modules, output and state, even in concurrent calls', async () => {
  const { load } = await stage();
  const first = await load('one');
  const other = await load('other');
  const calls = [first, other, first, other].map(({ handler }) => handler({}, CONTEXT));
  expect(await Promise.all(calls)).toEqual([
    { seen: seenBy('one'), calls: 1, loads: 1 },
    { seen: seenBy('other'), calls: 1, loads: 1 },
    { seen: seenBy('one'), calls: 2, loads: 1 },
    { seen: seenBy('other'), calls: 2, loads: 1 },
  ]);
  expect([first.log, other.log]).toEqual([
    ['from a package', 'from a package'],
    ['from a package', 'from a package'],
  ]);
});

test('A shared package that runs outside a function fails, instead of using the environment of the runner', async () => {
  const { packages, load } = await stage();
  await load('one');
  const { probe } = Object(loadSharedPackages(packages));
  await expect(probe()).rejects.toThrow('A shared package ran outside a function');
});
