/** `npm run test:deep` runs property tests with many more cases. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergeConfig } from 'vitest/config';
import all from '#test/vitest.config.ts';

const TESTS = join(import.meta.dirname, '../..');

const propertyTests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => readFileSync(join(TESTS, file), 'utf8').includes('/cases.ts'))
  .map((file) => `test/${file}`);

const config = mergeConfig(all, { test: { reporters: ['verbose'] } });
export default { ...config, test: { ...config.test, include: propertyTests } };
