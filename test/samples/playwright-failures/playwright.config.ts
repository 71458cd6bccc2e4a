import { defineConfig, type ReporterDescription } from '@playwright/test';

const reporters: ReporterDescription[] = [['list']];
if (process.env.PLAYWRIGHT_JSON_OUTPUT_FILE) reporters.push(['json']);
if (process.env.CURRENTS_RECORD_KEY) reporters.push(['@currents/playwright']);

export default defineConfig({
  testDir: './tests',
  retries: 1,
  workers: 1,
  timeout: 5_000,
  reporter: reporters,
  use: { trace: 'on' },
  projects: [{ name: 'retail' }],
});
