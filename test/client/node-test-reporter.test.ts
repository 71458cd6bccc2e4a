/** Runs the sample suite of node:test with Node and the built package, as users of the package do. */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { deriveSignature } from '#shared/model/ids.ts';
import { announcedFiles } from '#test/harness/live-recording.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { endOf, runIn, startIn, temporaryFolder } from '#test/infra/local/child.ts';
import { parseBytes, signaturesOf } from '#test/reports/samples.ts';

const SUITE = join(import.meta.dirname, '../samples/node-test');

async function stage() {
  const tenant = await service();
  vi.useRealTimers();
  const folder = await temporaryFolder();
  const home = join(folder, 'shop');
  await mkdir(home);
  await cp(SUITE, home, { recursive: true });
  await cp(await findClient(), join(home, 'node_modules/rundown-cli'), { recursive: true });
  const env = {
    // The report must not depend on the machine that runs this test.
    GITHUB_ACTIONS: '',
    RUNDOWN_DSN: tenant.origin.replace('://', `://${tenant.keys.readWrite}@`).concat(`/${tenant.projectId}`),
    RUNDOWN_CI_BUILD_ID: 'build',
    RUNDOWN_SPOOL: join(folder, 'spool'),
  };
  const reporters = [
    ...['--test-reporter=junit', `--test-reporter-destination=${join(folder, 'junit.xml')}`],
    ...['--test-reporter=rundown-cli/node-test', '--test-reporter-destination=stdout'],
  ];
  const args = (files: readonly string[], more: readonly string[] = []) => ['--test', ...more, ...reporters, ...files];
  const run = async () => {
    const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=build`);
    return read(tenant.api, `/runs/${runId}`);
  };
  const tests = async () => {
    const lines: string[] = [];
    const errors: string[] = [];
    for (const { instanceId, spec } of (await run()).specs) {
      const { results } = await read(tenant.api, `/instances/${instanceId}`);
      for (const { state, title, attempts } of results.tests) {
        lines.push(`${state} ${[spec, ...title].join(' › ')}`);
        errors.push(...attempts.flatMap(({ error }: { error: { message: string } | null }) => error?.message ?? []));
      }
    }
    return { lines: lines.sort(), errors };
  };
  const junit = () => readFile(join(folder, 'junit.xml'));
  return { tenant, home, env, args, run, tests, junit };
}

const CART = [
  'failed cart.test.mjs › cart › asks the bank',
  'failed cart.test.mjs › cart › counts the articles',
  'failed cart.test.mjs › cart › same › name (2)',
  'failed cart.test.mjs › cart › takes too long',
  'failed cart.test.mjs › checks afterwards › sends a request',
  'failed cart.test.mjs › cleans up badly',
  'failed cart.test.mjs › delivery',
  'failed cart.test.mjs › order › is paid',
  'passed cart.test.mjs › cart › adds an article',
  'passed cart.test.mjs › cart › same › name',
  'passed cart.test.mjs › cart › shows "quotes", grüße 日本語 🎉 and red',
  'passed cart.test.mjs › cleans up badly › writes a file',
  'passed cart.test.mjs › delivery › is sent',
  'passed cart.test.mjs › order › is placed',
  'pending cart.test.mjs › cart › gives a discount',
  'pending cart.test.mjs › cart › is sold out',
  'skipped cart.test.mjs › without a database › loads the cart',
  'skipped cart.test.mjs › without a database › saves the cart',
];

const OF = { organizationId: 'any', projectId: 'any' };

test('The recorded run of node:test has every outcome, the tests that did not finish because their process ended early, and every test of the JUnit report', async () => {
  const { tenant, home, env, args, run, tests, junit } = await stage();
  await writeFile(join(home, 'broken.test.mjs'), 'export const = 1;\n');
  const files = ['cart', 'early-exit', 'killed', 'broken'].map((name) => `${name}.test.mjs`);
  const { status, output } = await runIn(home, args(files), env);
  expect({ status }).toEqual({ status: 1 });
  const { lines, errors } = await tests();
  expect(lines).toEqual(
    [
      ...CART,
      'failed broken.test.mjs › broken.test.mjs',
      'failed killed.test.mjs › killed.test.mjs',
      'passed early-exit.test.mjs › runs',
      'passed killed.test.mjs › runs',
      'skipped early-exit.test.mjs › comes too late',
      'skipped early-exit.test.mjs › has subtests › exits',
      'skipped killed.test.mjs › needs too much memory',
    ].sort(),
  );
  expect(errors).toEqual(
    expect.arrayContaining([
      'failed running before hook: the database is down',
      'test timed out after 20ms',
      '{ code: 42 }',
      'TypeError: the second of two',
      'The process of killed.test.mjs was ended by SIGKILL',
      'The process of early-exit.test.mjs ended before the test',
      expect.stringMatching(/^The process of broken\.test\.mjs ended with exit code 1: SyntaxError: /),
    ]),
  );
  expect(output).toMatch(
    /Rundown {2}25 tests recorded {2}→ {2}http:\S+\n {9}8 passed · 10 failed · 5 did not run · 2 skipped\n/,
  );
  expect(output).not.toContain(env.RUNDOWN_DSN);
  const recordedRun = await run();
  expect(recordedRun).toMatchObject({ status: 'FAILED', completionState: 'COMPLETE' });
  expect(await announcedFiles(tenant, recordedRun.runId)).toEqual([files.length]);

  const imported = signaturesOf(await parseBytes(await junit(), { root: home }));
  const missing = lines.filter((line) => {
    const [spec = '', ...title] = line.slice(line.indexOf(' ') + 1).split(' › ');
    return !imported.includes(deriveSignature({ ...OF, spec, title }));
  });
  // The JUnit report has no failures of suites, and no tests that had not ended when their process did.
  expect(missing).toEqual([
    'failed cart.test.mjs › cleans up badly',
    'failed cart.test.mjs › delivery',
    'skipped early-exit.test.mjs › comes too late',
    'skipped early-exit.test.mjs › has subtests › exits',
    'skipped killed.test.mjs › needs too much memory',
  ]);
  expect(imported).toHaveLength(lines.length - missing.length);
});

test('The terminal and the job summary count all new failures of a run, as the API does, and not only those that they name', async () => {
  const { tenant, home, env, args, run } = await stage();
  const [summary, outputs] = [join(home, 'summary.md'), join(home, 'outputs')];
  const suite = `import test from 'node:test';
for (let i = 1; i <= 30; i += 1) test('adds article ' + i, () => { if (process.env.BROKEN) throw new Error('no stock'); });`;
  await writeFile(join(home, 'many.test.mjs'), suite);
  await runIn(home, args(['many.test.mjs']), { ...env, RUNDOWN_CI_BUILD_ID: 'base', RUNDOWN_BRANCH: 'main' });
  const github = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs };
  const { output } = await runIn(home, args(['many.test.mjs']), { ...env, ...github, BROKEN: '1' });
  expect(output).toMatch(/Rundown {2}30 tests recorded .*\n {9}30 failed \(30 new\)\n {9}new: .* {2}and 29 more\n/);
  expect(await readFile(summary, 'utf8')).toContain('30 tests recorded: 0 passed, 30 failed (30 new), 0 flaky');
  expect(await readFile(outputs, 'utf8')).toContain('new-failures=30\n');
  const { sections } = await read(tenant.api, `/runs/${(await run()).runId}/comparison`);
  expect(sections.find(({ verdict }: { verdict: string }) => verdict === 'new').total).toBe(30);
});

test('The results of node:test are recorded even if Node exits at once: after Ctrl+C, and with --test-force-exit', async () => {
  const { home, env, args, run, tests } = await stage();
  const started = join(home, 'started');
  await writeFile(
    join(home, 'slow.test.mjs'),
    `import { writeFileSync } from 'node:fs';
     import test from 'node:test';
     import { setTimeout as pause } from 'node:timers/promises';
     test('is quick', () => {});
     test('is slow', async () => { writeFileSync(${JSON.stringify(started)}, ''); await pause(60_000); });`,
  );
  const child = startIn(home, args(['slow.test.mjs']), env);
  const ended = endOf(child);
  await expect.poll(() => readFile(started, 'utf8').catch(() => undefined)).toBe('');
  child.kill('SIGINT');
  expect((await ended).output).toContain('Rundown  2 tests recorded');
  expect((await tests()).lines).toEqual(['passed slow.test.mjs › is quick', 'skipped slow.test.mjs › is slow']);
  expect(await run()).toMatchObject({ status: 'FAILED', completionState: 'COMPLETE' });

  const forced = { ...env, RUNDOWN_CI_BUILD_ID: 'forced' };
  const { output } = await runIn(home, args(['early-exit.test.mjs'], ['--test-force-exit']), forced);
  expect(output).toMatch(/Rundown {2}3 tests recorded .*\n {9}1 passed · 2 did not run\n/);
});
