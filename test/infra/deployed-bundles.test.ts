import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { loadHandler } from '#infra/local/lambda/function-runtime.ts';
import { PACKAGES_FILE } from '#infra/local/lambda/shared-packages.ts';
import { deployedBundles, separateBundles } from '#test/harness/assemblies.ts';
import { IS_DEEP } from '#test/harness/cases.ts';

const deployed = await deployedBundles();
const separate = await separateBundles();
const names = readdirSync(deployed, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const operations = new Set((await loadDeclarations()).map(({ file }) => basename(file, '.ts')));

/**
 * `deployed-endpoints.test.ts` already sends requests to the deployed bundles of operations. To save time, `npm test`
 * therefore loads bundles of operations without their packages here, and lets them share one copy of each package.
 */
const packagesOf = (name: string) =>
  operations.has(name) && !IS_DEEP ? { packages: join(separate, PACKAGES_FILE) } : {};

test.each(names.map(({ name }) => name))('The bundle of %s loads without environment variables', (name) => {
  const packages = packagesOf(name);
  const directory = join('packages' in packages ? separate : deployed, name);
  const source = { directory, handler: 'index.handler', environment: {}, ...packages };
  expect(loadHandler(source, { onLog: () => {}, onFault: () => {} })).toBeInstanceOf(Function);
});

test('Each operation has a bundle of its own', () => {
  const found = names.filter(({ name }) => operations.has(name));
  expect(found).toHaveLength(operations.size);
});

test('A bundle consists of its code, without a compile cache that fits only one version of Node', () => {
  const parts = names.flatMap(({ name }) => readdirSync(join(deployed, name)));
  expect([...new Set(parts)]).toEqual(['index.js']);
});

test('The authorizer bundles neither zod nor the SQS client, because they would slow down its cold start', () => {
  const files = readdirSync(join(deployed, 'authorizer'), { recursive: true, encoding: 'utf8' });
  const code = files
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => readFileSync(join(deployed, 'authorizer', file), 'utf8'));
  expect(code.length).toBeGreaterThan(0);
  // `_zod` is the property in which every zod schema keeps its definition.
  expect(code.filter((text) => text.includes('_zod') || text.includes('AmazonSQS'))).toEqual([]);
  expect(readFileSync(join(deployed, 'get-project', 'index.js'), 'utf8')).toContain('_zod');
});
