/** Runs only `mixed-releases.ts`, for `npm run test:deploy`. */
import { mergeConfig } from 'vitest/config';
import all from '#test/vitest.config.ts';

const config = mergeConfig(all, { test: { reporters: ['verbose'] } });
export default { ...config, test: { ...config.test, include: ['test/tools/deploy/mixed-releases.ts'] } };
