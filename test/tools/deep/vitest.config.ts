/** `npm run test:deep` runs property tests and other long searches with many more cases than `npm test`. */
import { mergeConfig } from 'vitest/config';
import { listReached, readSources } from '#test/harness/sources.ts';
import all from '#test/vitest.config.ts';

const imports = new Map((await readSources()).map(({ file, imports }) => [file, imports]));
const isSearching = (file: string) => listReached([file], imports).has('test/harness/cases.ts');

/** The files that import `harness/cases.ts`, directly or through a helper. They try more cases in this run. */
const include = [...imports.keys()].filter((file) => file.endsWith('.test.ts') && isSearching(file));

const config = mergeConfig(all, { test: { reporters: ['verbose'] } });
export default { ...config, test: { ...config.test, include } };
