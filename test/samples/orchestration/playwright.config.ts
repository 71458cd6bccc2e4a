import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: './tests',
  workers: 1,
  timeout: 300_000,
  projects: [{ name: 'retail' }],
});
