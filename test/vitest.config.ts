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
    // Ends a test that hangs; a slow machine is no failure, so it is many times what the longest one takes.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    retry: 0,
    // What the suite prints, too, is read by others.
    onConsoleLog: (text) => refuseSecrets('The output of a test', text),
    reporters: process.env.CI ? ['default'] : ['dot'],
  },
});
