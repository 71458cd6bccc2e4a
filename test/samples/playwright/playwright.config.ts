import { defineConfig, type ReporterDescription } from '@playwright/test';
import type { MarketOptions } from './market.ts';

const reporters: ReporterDescription[] = [['list']];
// The json reporter reads PLAYWRIGHT_JSON_OUTPUT_FILE, the recording one reads CURRENTS_*: nothing is configured here.
if (process.env.PLAYWRIGHT_JSON_OUTPUT_FILE) reporters.push(['json']);
const folder = process.env.REPORTS_FOLDER;
if (folder) {
  reporters.push(['junit', { outputFile: `${folder}/junit.xml` }], ['blob', { outputFile: `${folder}/blob.zip` }]);
  reporters.push(['playwright-ctrf-json-reporter', { outputDir: folder, outputFile: 'ctrf.json' }]);
}
if (process.env.SENT_URL) reporters.push(['./wait-until-sent.ts']);
// The tests record one execution with both reporters, so that even the times must be equal.
if (process.env.RUNDOWN_REPORTER) reporters.push([process.env.RUNDOWN_REPORTER]);
if (process.env.CURRENTS_RECORD_KEY) reporters.push(['@currents/playwright']);

export default defineConfig<MarketOptions>({
  testDir: './tests',
  retries: 1,
  workers: 2,
  timeout: 5_000,
  reporter: reporters,
  projects: [
    {
      name: 'retail',
      testIgnore: 'price-import.spec.ts',
      metadata: { pwc: { tags: ['consumer'], environment: 'staging' } },
    },
    {
      name: 'wholesale',
      testIgnore: 'checkout/**',
      use: { market: 'wholesale' },
    },
  ],
});
