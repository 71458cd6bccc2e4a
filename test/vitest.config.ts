import { defineConfig } from 'vitest/config';
import { refuseSecrets } from './harness/secrets.ts';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    // A file has a process, a gateway and a table of its own.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    // What the suite prints, too, is read by others.
    onConsoleLog: (text) => refuseSecrets('The output of a test', text),
    reporters: process.env.CI ? ['default'] : ['dot'],
  },
});
