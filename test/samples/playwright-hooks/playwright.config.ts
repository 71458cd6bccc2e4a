import { defineConfig } from '@playwright/test';

/** Failures that fixtures cannot quarantine, and failures that no quarantine may hide. Tests choose among the projects. */
export default defineConfig({
  testDir: './tests',
  workers: 1,
  retries: 1,
  timeout: 2000,
  failOnFlakyTests: true,
  reporter: [['list'], [process.env.RUNDOWN_REPORTER ?? 'rundown-cli/playwright']],
  projects: [
    { name: 'hooks', testMatch: 'hooks.spec.ts' },
    { name: 'flaky', testMatch: 'flaky.spec.ts' },
    { name: 'serial', testMatch: 'serial.spec.ts', retries: 0 },
    { name: 'late', testMatch: 'late.spec.ts' },
    { name: 'login', testMatch: 'login.setup.ts' },
    { name: 'behind login', testMatch: 'flaky.spec.ts', dependencies: ['login'] },
  ],
});
