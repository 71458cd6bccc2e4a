import { defineConfig, type ReporterDescription } from '@playwright/test';

const reporters: ReporterDescription[] = [['list'], [process.env.RUNDOWN_REPORTER ?? '@currents/playwright']];
if (process.env.SENT_URL) reporters.push(['../playwright/wait-until-sent.ts']);

/** Tests that rules skip, quarantine and tag. Without rules, three of them fail. */
export default defineConfig({
  testDir: './tests',
  workers: 1,
  retries: 0,
  reporter: reporters,
  projects: [{ name: 'retail' }, { name: 'wholesale' }],
});
