import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadHandler } from '#infra/local/lambda/function-runtime.ts';
import { deployedBundles } from '#test/harness/assemblies.ts';

const folder = await deployedBundles();
const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test.each(names.map(({ name }) => name))('The deployed bundle of %s loads without an environment', (name) => {
  const directory = join(folder, name);
  const source = { directory, handler: 'index.handler', environment: {} };
  expect(loadHandler(source, { onLog: () => {}, onFault: () => {} })).toBeInstanceOf(Function);
});
