import { defineConfig, type Plugin } from 'vitest/config';
import { FACTOR } from './harness/cases.ts';
import { LongestFirst } from './harness/longest-first.ts';
import { refuseSecrets } from './harness/secrets.ts';

const ROOT = new URL('..', import.meta.url).pathname;

// Node keeps compiled modules here, those of the worker processes and of all programs that tests start.
process.env['NODE_COMPILE_CACHE'] ??= `${ROOT}cdk.out/compiled`;

const own = (path: string): RegExp => new RegExp(`^${ROOT.replaceAll(/[^\w/]/g, '\\$&')}${path}\\.tsx?$`);

/**
 * With `npm run test:watch`, each rerun takes new processes, because the processes of the run before have loaded the
 * product as it was.
 */
const newProcesses: Plugin = {
  name: 'new processes for each rerun',
  configureVitest: ({ vitest, project }) => {
    if (vitest.config.watch) project.config.isolate = true;
  },
};

export default defineConfig({
  root: ROOT,
  plugins: [newProcesses],
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/harness/global-setup.ts'],
    // All test files share a few processes. `own-modules.ts` gives each file its own modules, and `service.ts` its own
    // service.
    pool: 'forks',
    isolate: false,
    // CI has two cores. Four workers keep them busy, because tests wait for stores, timers and other processes. Each loads
    // the product and all functions that it calls: six need 6 % more CPU time, and three 11 % less than six.
    maxWorkers: 4,
    // Requests leave much short-lived garbage. With 64 instead of 16 MB of room for it, the tests take 4 % less CPU time.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongestFirst },
    // Node itself loads these modules once per process, so all test files of a process share them. Modules that keep
    // the state of a test must not be listed here.
    server: {
      deps: { external: [own('(functions|infra|shared)/.*'), own('test/contract/(schemas|kept-contract)')] },
    },
    // Tests reach the product over HTTP, so with `npm run test:watch` a changed product file reruns all chosen tests.
    forceRerunTriggers: ['**/{functions,infra,shared}/**/*.{ts,tsx,css,js,svg,json,md}'],
    setupFiles: ['test/harness/own-modules.ts', 'test/harness/seeds.ts'],
    // Aborts a test that hangs. The limit is many times the duration of the longest test, because machines may be slow.
    testTimeout: 300_000 * Math.max(1, FACTOR),
    // The limit only aborts hooks that hang. Synthesizing the app takes minutes if two test runs share two cores.
    hookTimeout: 600_000,
    // Keeps polling almost until the timeout of the test, because a test must not fail on a slow machine.
    expect: { poll: { interval: 100, timeout: 170_000 * Math.max(1, FACTOR) } },
    retry: 0,
    // The output of passing tests is not shown, but it is still checked, because no test may print a secret.
    silent: 'passed-only',
    reporters: ['dot', { onUserConsoleLog: ({ content }) => refuseSecrets('The output of a test', content) }],
  },
});
