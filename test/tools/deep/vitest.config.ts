/** `npm run test:deep` runs property tests and other long searches with many more cases than `npm test`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import all from '#test/vitest.config.ts';

const TESTS = join(import.meta.dirname, '../..');

/** The files below `test/` that a file imports, as paths below `test/`. */
const importsOf = (file: string): string[] =>
  [...readFileSync(join(TESTS, file), 'utf8').matchAll(/from '(#test|\.\.?)\/([^']+)'/g)].map(
    ([, root = '', path = '']) => (root === '#test' ? path : join(dirname(file), root, path)),
  );

const imports = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => [file, importsOf(file)] as const);

/** The files that import `harness/cases.ts`, directly or through a helper. They try more cases in this run. */
const searching = new Set(['harness/cases.ts']);
for (const used of searching) for (const [file, imported] of imports) if (imported.includes(used)) searching.add(file);

const include = [...searching].filter((file) => file.endsWith('.test.ts')).map((file) => `test/${file}`);

const config = mergeConfig(all, { test: { reporters: ['verbose'] } });
export default { ...config, test: { ...config.test, include } };
