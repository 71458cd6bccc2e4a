/** `npm run test:deep`: the tests that repeat themselves, many times as often as in a run of all tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import all from '#test/vitest.config.ts';

const TESTS = join(import.meta.dirname, '../..');

const repeated = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => readFileSync(join(TESTS, file), 'utf8').includes('/cases.ts'))
  .map((file) => `test/${file}`);

const config = mergeConfig(all, { test: { reporters: ['verbose'] } });
export default { ...config, test: { ...config.test, include: repeated } };
