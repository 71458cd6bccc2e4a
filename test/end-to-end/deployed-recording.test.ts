/** Records with both reporters and imports, with the bundles that a deployment would upload. `reporter.test.ts` records more. */
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { read } from '#test/harness/recording-readback.ts';
import { deliverEvents, runDeployedBundles, service } from '#test/harness/service.ts';
import { imported } from '#test/imports/reports.ts';
import { PROJECT, run, temporaryFolder } from '#test/infra/local/child.ts';
import { ownReporter } from './own-reporter.ts';
import { environment, PLAYWRIGHT } from './programs.ts';
import { proxyOf } from './sent-results.ts';

deliverEvents();

runDeployedBundles();

describe('A test that fails and skips itself in the retry', () => {
  const CONFIG = `const { PLAYWRIGHT_JSON_OUTPUT_FILE, BLOB, RUNDOWN_REPORTER } = process.env;
module.exports = {
  retries: 1,
  reporter: [['json', { outputFile: PLAYWRIGHT_JSON_OUTPUT_FILE }], ['blob', { outputFile: BLOB }], [RUNDOWN_REPORTER], ['@currents/playwright']],
};`;
  const SUITE = `const { test } = require('@playwright/test');
test('gives up', () => {
  test.skip(test.info().retry > 0, 'gave up');
  throw new Error('no stock');
});
test('passes', () => {});
test('is skipped', () => test.skip(true));`;

  test('is flaky and fails no run, whether @currents/playwright or rundown-cli/playwright records it, or its JSON or blob report is imported', async () => {
    vi.useRealTimers();
    const tenant = await service();
    const { origin, env } = await proxyOf(tenant.origin);
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'cart.spec.js'), SUITE);
    await writeFile(join(folder, 'playwright.config.js'), CONFIG);
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    const files = { json: join(folder, 'report.json'), blob: join(folder, 'blob.zip') };
    const ended = await run([PLAYWRIGHT, 'test', '--config', folder], {
      ...environment({ ...tenant, origin }, 'published'),
      ...env,
      ...(await ownReporter(tenant, 'own')),
      PLAYWRIGHT_JSON_OUTPUT_FILE: files.json,
      BLOB: files.blob,
    });
    expect(ended).toMatchObject({ status: 0, output: expect.stringContaining('1 passed · 1 flaky · 1 skipped') });
    const { stats } = JSON.parse(await readFile(files.json, 'utf8'));
    expect(stats).toMatchObject({ expected: 1, flaky: 1, unexpected: 0, skipped: 1 });
    for (const [build, path] of Object.entries(files))
      await imported(tenant, await readFile(path), `ciBuildId=${build}`);
    for (const build of ['published', 'own', 'json', 'blob']) {
      const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${build}`);
      const { status, groups, specs } = await read(tenant.api, `/runs/${runId}`);
      const { overall, passes, failures, pending, flaky } = groups[0].tests;
      expect({ build, status, overall, passes, failures, pending, flaky }).toEqual({
        build,
        status: 'PASSED',
        overall: 3,
        passes: 2,
        failures: 0,
        pending: 1,
        flaky: 1,
      });
      const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
      const { state, isFlaky, attempts } = results.tests.find(
        ({ title }: { title: string[] }) => title[0] === 'gives up',
      );
      const statuses = attempts.map(({ rawStatus }: { rawStatus: string }) => rawStatus);
      expect({ build, state, isFlaky, statuses }).toEqual({
        build,
        state: 'passed',
        isFlaky: true,
        statuses: ['failed', 'skipped'],
      });
    }
  });
});
