import { readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { FaultyProxy } from '#test/client/faulty-proxy.ts';
import { cases } from '#test/harness/cases.ts';
import { profile } from '#test/harness/chromium.ts';
import { confirmed } from '#test/harness/downloads.ts';
import { NO_CHROMIUM } from '#test/harness/launch-chromium.ts';
import { expectRunToBe, read } from '#test/harness/recording-readback.ts';
import { byName, testsOfReport } from '#test/harness/recording-report.ts';
import { deliverEvents, service } from '#test/harness/service.ts';
import { signedIn, type Visitor } from '#test/harness/visitor.ts';
import { PROJECT, run, temporaryFolder } from '#test/infra/local/child.ts';
import { differencesOf } from './imported-reports.ts';
import { differencesBetween, ownReporter } from './own-reporter.ts';
import { PLAYWRIGHT, runSample } from './programs.ts';
import { proxyOf } from './sent-results.ts';

deliverEvents();

/** The tags that tests inherit from the run and from their Playwright project. */
const INHERITED_TAGS = { retail: ['nightly', 'consumer'], wholesale: ['nightly'] };

/**
 * In `npm test`, the shards leave out failing tests to save time, because Playwright starts a new worker after each
 * failure. They keep flaky tests, skipped tests and tests that are expected to fail. Another test records the whole
 * suite.
 */
const SHARDED =
  cases(1, 0) > 0
    ? { args: [], count: 30 }
    : { args: ['--workers', '1', '--grep-invert', 'in time|swapped digits|cost price|order|price import'], count: 20 };

async function setting() {
  vi.useRealTimers();
  const tenant = await service();
  const { origin, env } = await proxyOf(tenant.origin);
  const record = ({ ciBuildId, args = [], own }: { ciBuildId: string; args?: readonly string[]; own?: object }) =>
    runSample({ ...tenant, origin }, { ciBuildId, args, env: { ...env, ...own } });
  const runIdOf = async (ciBuildId: string): Promise<string> =>
    (await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${ciBuildId}`)).runId;
  return { tenant, record, runIdOf };
}

async function text(url: string): Promise<string> {
  return (await confirmed(url)).text();
}

/** The standard output of each spec file, read through its link. */
async function outputs({ api }: Awaited<ReturnType<typeof setting>>['tenant'], runId: string) {
  const { specs } = await read(api, `/runs/${runId}`);
  const texts: string[] = [];
  for (const { instanceId } of specs) {
    const { results } = await read(api, `/instances/${instanceId}`);
    texts.push(await text(results.stdout.readUrl));
  }
  return texts.join('\n');
}

/**
 * Checks that links in the output of the reporter can be opened: the first and the last link to a test, and the link to
 * a spec file. The reporter prints color codes around links.
 */
async function expectLinksToOpen(tenant: Awaited<ReturnType<typeof setting>>['tenant'], output: string) {
  const person = await signedIn(tenant, 'guest');
  const printed = [...new Set(stripVTControlCharacters(output).match(/http\S+\/i\/\w+\/test\/[\w-]+/g))];
  expect(printed.length).toBeGreaterThan(20);
  const [first = ''] = printed;
  for (const link of [first, ...printed.slice(-1), first.replace(/\/test\/.*/, '')]) {
    const { status, headers } = await person.get(new URL(link).pathname);
    expect(status).toBe(303);
    const page = await person.get(headers.get('location') ?? '');
    expect({ link, status: page.status }).toEqual({ link, status: 200 });
    const [, instanceId = 'none'] = /\/i\/(\w+)/.exec(link) ?? [];
    expect(page.html).toContain(instanceId);
  }
  if (!NO_CHROMIUM) await expectBrowserToOpen(tenant, person, first);
}

/** Checks that a person who follows the link to a test in the CI log sees the page of the test. */
async function expectBrowserToOpen({ origin }: { readonly origin: string }, person: Visitor, link: string) {
  const page = await (await profile(origin, person)).newPage();
  await page.goto(link);
  const [, instanceId = '', testId = ''] = /\/i\/(\w+)\/test\/([\w-]+)/.exec(link) ?? [];
  expect(page.url()).toContain(instanceId);
  expect(page.url()).toContain(testId);
  expect(await page.locator('h1').textContent()).not.toBe('');
}

describe('@currents/playwright', () => {
  test("A run that @currents/playwright records has the same results as Playwright's own report, imports of the report files, and a run that rundown-cli/playwright records", async () => {
    const { tenant, record, runIdOf } = await setting();
    const own = await ownReporter(tenant, 'own');
    const { status, output, report, reports } = await record({ ciBuildId: 'whole', own });
    const runId = await runIdOf('whole');
    expect(output).toContain(`Run URL: ${tenant.origin}/${tenant.organizationId}/${tenant.projectId}/runs/${runId}`);
    expect({ status }).toEqual({ status: 1 });
    await expectLinksToOpen(tenant, output);
    await expectRunToBe(tenant, runId, testsOfReport(report, INHERITED_TAGS));
    expect(await outputs(tenant, runId)).toContain('cart holds 1 article');
    const { specs } = await read(tenant.api, `/runs/${runId}`);
    const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
    const cart = results.attachments.find(({ name }: { name: string }) => name === 'cart');
    expect(JSON.parse(await text(cart.readUrl))).toMatchObject([{ article: 'mug', pieces: 3 }]);
    expect(await differencesOf(tenant, reports)).toEqual({ unexplained: [], unseen: [] });
    expect(await differencesBetween(tenant, 'whole', 'own')).toEqual({ unexplained: [], unseen: [] });
  });

  test('The reporter records two concurrent shards as one run with every test of both shards', async () => {
    const { tenant, record, runIdOf } = await setting();
    const { args, count } = SHARDED;
    const shards = await Promise.all(
      ['1/2', '2/2'].map((shard) => record({ ciBuildId: 'shards', args: [...args, '--shard', shard] })),
    );
    const expected = shards.flatMap(({ report }) => testsOfReport(report, INHERITED_TAGS)).sort(byName);
    expect(expected).toHaveLength(count);
    await expectRunToBe(tenant, await runIdOf('shards'), expected);
  });

  test('The reporter records every test if `--fully-parallel` divides the tests of a spec file among shards', async () => {
    const { tenant, record, runIdOf } = await setting();
    const args = ['--fully-parallel', '--workers', '1', '--project', 'wholesale', '-g', 'cart'];
    const shards = await Promise.all(
      ['1/2', '2/2'].map((shard) => record({ ciBuildId: 'spread', args: [...args, '--shard', shard] })),
    );
    const expected = shards.flatMap(({ report }) => testsOfReport(report, INHERITED_TAGS)).sort(byName);
    await expectRunToBe(tenant, await runIdOf('spread'), expected);
  });
});

describe('rundown-cli/playwright', () => {
  test('A spec file that cannot be loaded is recorded as a failed run without tests', async () => {
    vi.useRealTimers();
    const tenant = await service();
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'cart.spec.js'), "throw new Error('cannot load the prices');");
    const config = "module.exports = { reporter: process.env.RUNDOWN_REPORTER, projects: [{ name: 'retail' }] };";
    await writeFile(join(folder, 'playwright.config.js'), config);
    const ended = await run([PLAYWRIGHT, 'test', '--config', folder], await ownReporter(tenant, 'broken'));
    expect(ended).toMatchObject({ status: 1, output: expect.stringMatching(/Rundown {2}0 tests recorded {2}→ /) });
    const found = `/runs/find?projectId=${tenant.projectId}&ciBuildId=broken`;
    const { status, completionState, groups } = await read(tenant.api, found);
    expect({ status, completionState }).toEqual({ status: 'FAILED', completionState: 'COMPLETE' });
    expect(groups).toMatchObject([{ groupId: 'retail', tests: { overall: 0 } }]);
  });

  test('Attachments that could not be uploaded are kept on disk, and `rundown upload --spool` uploads them', async () => {
    vi.useRealTimers();
    const tenant = await service();
    const folder = await temporaryFolder();
    const spec = `const { test } = require('@playwright/test');
test('fails', async ({}, info) => {
  const path = info.outputPath('prices.csv');
  require('node:fs').writeFileSync(path, 'mug;12');
  await info.attach('prices', { path, contentType: 'text/csv' });
  throw new Error('no stock');
});`;
    await writeFile(join(folder, 'cart.spec.js'), spec);
    await writeFile(
      join(folder, 'playwright.config.js'),
      'module.exports = { reporter: process.env.RUNDOWN_REPORTER };',
    );
    await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    const proxy = await FaultyProxy.start(tenant.origin, (call) =>
      call.path.startsWith('PUT') ? call.answer(403) : call.pass(),
    );
    const env = await ownReporter({ ...tenant, origin: proxy.origin }, 'kept');
    const { output } = await run([PLAYWRIGHT, 'test', '--config', folder], env);
    expect(output).toContain('Some files were not uploaded: The file storage answered 403');
    expect(output).toMatch(/Files are waiting in \S+\. Send them with: npx --no rundown upload --spool/);

    const command = join(dirname(env['RUNDOWN_REPORTER'] ?? ''), 'rundown.js');
    const { RUNDOWN_DSN = '' } = await ownReporter(tenant, 'kept');
    // The suite ran in the same folder, in which Playwright has put the files.
    expect(await run([command, 'upload', '--spool'], { ...env, RUNDOWN_DSN })).toMatchObject({ status: 0 });
    const { specs } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=kept`);
    const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
    const { readUrl } = results.attachments.find(({ name }: { name: string }) => name === 'prices');
    expect(await text(readUrl)).toBe('mug;12');
    expect(await readdir(env['RUNDOWN_SPOOL'] ?? '')).toEqual([]);
  });
});
