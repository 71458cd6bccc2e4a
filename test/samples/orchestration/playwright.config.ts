import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: './tests',
  testMatch: process.env.SPEC_FILES ?? '**/*.spec.ts',
  workers: 1,
  timeout: 300_000,
  projects: [{ name: 'retail' }],
});
