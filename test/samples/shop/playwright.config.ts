import { defineConfig } from '@playwright/test';

export default defineConfig({ workers: 1, timeout: 20_000, use: { screenshot: 'only-on-failure' } });
