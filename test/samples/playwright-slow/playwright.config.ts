import { defineConfig } from '@playwright/test';

/** One spec file after the other, so that the gate in the first holds up the second. */
export default defineConfig({
  testDir: './tests',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: [['list'], ['@currents/playwright']],
  projects: [{ name: 'chromium' }],
});
