/**
 * Replays the calls that Jest made to the reporter in real runs, because Jest is not a dependency of the project.
 * `npm run test:frameworks` runs Jest and records the calls again.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { announcedFiles } from '#test/harness/live-recording.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { runIn, temporaryFolder } from '#test/infra/local/child.ts';
import { parseBytes, toldBy } from '#test/reports/samples.ts';

const SAMPLES = join(import.meta.dirname, '../samples/jest');

async function stage() {
  const tenant = await service();
  vi.useRealTimers();
  const folder = await temporaryFolder();
  const home = join(folder, 'shop');
  await mkdir(home);
  const built = await findClient();
  const replay = async (version: string, options: readonly string[] = []) => {
    const env = {
      GITHUB_ACTIONS: '',
      RUNDOWN_DSN: tenant.origin.replace('://', `://${tenant.keys.readWrite}@`).concat(`/${tenant.projectId}`),
      RUNDOWN_CI_BUILD_ID: version,
      RUNDOWN_SPOOL: join(folder, 'spool'),
    };
    const calls = join(SAMPLES, `jest-${version}.json`);
    const ended = await runIn(home, [join(SAMPLES, 'replay.mjs'), built, calls, ...options], env);
    expect(ended.output).not.toContain(env.RUNDOWN_DSN);
    const { runId } = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${version}`);
    const run = await read(tenant.api, `/runs/${runId}`);
    const tests = [];
    for (const { instanceId, groupId, spec } of run.specs) {
      const { results } = await read(tenant.api, `/instances/${instanceId}`);
      tests.push(...results.tests.map((result: object) => ({ groupId, spec, ...result })));
    }
    return { ...ended, run, tests, announced: await announcedFiles(tenant, runId) };
  };
  return replay;
}

type Recorded = Awaited<ReturnType<Awaited<ReturnType<typeof stage>>>>['tests'][number];

const lineOf = ({ groupId, spec, title, state, isFlaky, expectedStatus, attempts }: Recorded): string => {
  const words = [state, ...(isFlaky ? ['flaky'] : []), ...(expectedStatus === 'failed' ? ['expected to fail'] : [])];
  return `${[groupId, spec, ...title].join(' › ')}: ${words.join(', ')}, ${attempts.length}`;
};

/** Group, spec file and title of each test, its outcome, and its number of attempts. */
const LINES = [
  'shop › broken.test.js › Test suite failed to run: failed, 1',
  'shop › cart.test.js › cart › adds an article: passed, 1',
  'shop › cart.test.js › cart › counts the articles: failed, 1',
  'shop › cart.test.js › cart › gives a discount: pending, 1',
  'shop › cart.test.js › cart › has a bug that somebody fixed: failed, expected to fail, 1',
  'shop › cart.test.js › cart › has a known bug: passed, expected to fail, 1',
  'shop › cart.test.js › cart › is sold out: pending, 1',
  'shop › cart.test.js › cart › same › name (2): failed, 1',
  'shop › cart.test.js › cart › same › name: passed, 1',
  'shop › cart.test.js › cart › shows "quotes", grüße 日本語 🎉 and \u001b[31mred\u001b[0m: passed, 1',
  'shop › cart.test.js › cart › takes too long: failed, 1',
  'shop › cart.test.js › checks afterwards › sends a request: failed, 1',
  'shop › cart.test.js › without a database › saves the cart: failed, 1',
  'shop › hook.test.js › Test suite failed to run: failed, 1',
  'shop › hook.test.js › writes a file: passed, 1',
  'shop › killed.test.js › Test suite failed to run: failed, 1',
  'shop › killed.test.js › needs too much memory: skipped, 1',
  'shop › killed.test.js › runs: passed, 1',
  'shop › retried.test.js › fails at each try: failed, 3',
  'shop › retried.test.js › passes at the second try: passed, flaky, 2',
];

test('A run of Jest 29.0 or 30.5 is recorded with every outcome, all retries, and the tests of a worker process that was killed', async () => {
  const replay = await stage();
  const { run, tests, output, announced } = await replay('30.5.2');
  expect(tests.map(lineOf).sort()).toEqual(LINES);
  expect(run).toMatchObject({ status: 'FAILED', completionState: 'COMPLETE', tags: ['nightly'] });
  expect(output).toMatch(/Rundown {2}20 tests recorded {2}→ {2}http:\S+\n/);
  const messages = tests.flatMap(({ attempts }: Recorded) => attempts.map(({ error }: Recorded) => error?.message));
  expect(messages).toEqual(
    expect.arrayContaining([
      'Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 3\nReceived: 2',
      'Error: the database is down',
      'Error: the folder is not empty',
      'The process of the spec file ended before the test',
      expect.stringContaining('signal=SIGKILL'),
      expect.stringContaining('broken.test.js: Unexpected token'),
    ]),
  );
  expect(announced).toEqual([run.specs.length]);
  const older = await replay('29.0.0');
  // Jest 29.0 does not tell reporters that a test is expected to fail.
  expect(older.tests.map(lineOf).sort()).toEqual(LINES.map((line) => line.replace(', expected to fail', '')));
});

const Call = z.array(z.unknown());
const Totals = z.object({
  numTotalTests: z.int(),
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
});

/** Without the test that fails in one of the two projects, because which of them that is differs from run to run. */
const OF_PROJECTS = [
  'a › both/price.test.js › has a currency: passed, 1',
  'a › both/price.test.js › is rounded: passed, 1',
  'a › packages/a/cart.test.js › adds an article: passed, 1',
  'a › packages/a/cart.test.js › counts the articles: failed, 2',
  'a › packages/a/cart.test.js › reaches the stock: passed, flaky, 2',
  'b › both/price.test.js › has a currency: passed, 1',
  'b › both/price.test.js › is rounded: passed, 1',
  'b › packages/b/order.test.js › adds an article: passed, 1',
  'b › packages/b/order.test.js › returns an order: pending, 1',
  'b › packages/b/order.test.js › sends an order: failed, 1',
];

test.each(['29.0.0', '30.5.2'])(
  'Each test of several named projects of Jest %s is recorded once and in its own project, also if two projects run the same file at the same time',
  async (version) => {
    const replay = await stage();
    const { run, tests, output } = await replay(`${version}-projects`);
    const lines: string[] = tests.map(lineOf).sort();
    const isOfBoth = (line: string) => line.includes('includes the tax');
    expect(lines.filter((line) => !isOfBoth(line))).toEqual(OF_PROJECTS);
    expect(lines.filter(isOfBoth)).toEqual([
      expect.stringMatching(/^a › .*: (?:passed|failed), 1$/),
      expect.stringMatching(/^b › .*: (?:passed|failed), 1$/),
    ]);
    const failed = tests.find(({ title, state }: Recorded) => title[0] === 'counts the articles' && state === 'failed');
    expect(failed.attempts.map(({ error }: Recorded) => error?.message)).toEqual([
      expect.stringContaining('Received: 2'),
      expect.stringContaining('Received: 2'),
    ]);
    // What Jest itself counts.
    const calls = z
      .array(Call)
      .parse(JSON.parse(await readFile(join(SAMPLES, `jest-${version}-projects.json`), 'utf8')));
    const counts = Totals.parse(calls.at(-1)?.[2]);
    const { numTotalTests: total, numPassedTests: passed, numFailedTests: failures, numPendingTests: pending } = counts;
    expect({ total, passed, failures, pending }).toEqual({ total: 12, passed: 8, failures: 3, pending: 1 });
    const sums = (name: string) => run.groups.reduce((sum: number, { tests: of }: Recorded) => sum + of[name], 0);
    expect(['overall', 'passes', 'failures', 'pending'].map(sums)).toEqual([total, passed, failures, pending]);
    expect(output).toContain('Rundown  12 tests recorded');
  },
);

test('All results that Jest has reported are recorded even if its process exits before the run ends', async () => {
  const replay = await stage();
  const { status, run, tests } = await replay('30.5.2', ['--exit']);
  expect({ status }).toEqual({ status: 3 });
  expect(tests.map(lineOf).sort()).toEqual(LINES);
  expect(run).toMatchObject({ status: 'FAILED', completionState: 'COMPLETE' });
});

test('An import of the CTRF report of Jest contains the same tests that the reporter records, except failures of whole files and tests of killed processes', async () => {
  const file = await parseBytes(await readFile(join(SAMPLES, 'ctrf.json')), { group: 'shop' });
  const imported = toldBy(file).map(({ group, spec, title }) => [group, spec, ...title].join(' › '));
  const recorded = LINES.map((line) => line.replace(/: (?:passed|failed|pending|skipped),.*/, ''));
  expect(recorded.filter((name) => !imported.includes(name))).toEqual([
    'shop › broken.test.js › Test suite failed to run',
    'shop › hook.test.js › Test suite failed to run',
    'shop › killed.test.js › Test suite failed to run',
    'shop › killed.test.js › needs too much memory',
    'shop › killed.test.js › runs',
  ]);
  expect(imported.filter((name) => !recorded.includes(name))).toEqual([]);
});
