/** Runs only `record-release.ts`, for `npm run release`. */
import { mergeConfig } from 'vitest/config';
import all from '#test/vitest.config.ts';

const config = mergeConfig(all, { test: { reporters: ['verbose'] } });
export default { ...config, test: { ...config.test, include: ['test/tools/release/record-release.ts'] } };
