import { defineConfig } from 'vitest/config';
import { FACTOR } from './harness/cases.ts';
import { LongestFirst } from './harness/longest-first.ts';
import { refuseSecrets } from './harness/secrets.ts';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/harness/global-setup.ts'],
    // A few processes run all files. `own-modules.ts` gives each file its own modules, and `service.ts` its own service.
    pool: 'forks',
    isolate: false,
    // One more than CI has cores, because tests wait for stores, timers and other processes.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Compiled bundles and schemas serve all files of a process. Only such stateless modules may be listed here.
    server: { deps: { external: [/\/infra\/local\/lambda\/script\.ts$/, /\/test\/contract\/schemas\.ts$/] } },
    setupFiles: ['test/harness/own-modules.ts', 'test/harness/seeds.ts'],
    // Ends a test that hangs. The limit is many times the longest test, because machines may be slow.
    testTimeout: 180_000 * Math.max(1, FACTOR),
    hookTimeout: 180_000,
    retry: 0,
    // The output of the suite is public too.
    onConsoleLog: (text) => refuseSecrets('The output of a test', text),
    reporters: process.env.CI ? ['default'] : ['dot'],
  },
});
