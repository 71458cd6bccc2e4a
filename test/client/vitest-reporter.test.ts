import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { announcedFiles } from '#test/harness/live-recording.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { imported } from '#test/imports/reports.ts';
import { PROJECT, temporaryFolder } from '#test/infra/local/child.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { BARE, execute } from './installed.ts';

const VITEST = join(PROJECT, 'node_modules/vitest/vitest.mjs');
const SUITE = join(PROJECT, 'test/samples/vitest');

const BUILD = 'build-1';

let client: string;
beforeAll(async () => {
  client = await findClient();
});

async function setting() {
  const tenant = await service();
  vi.useRealTimers();
  const folder = await temporaryFolder();
  const { origin, projectId, keys } = tenant;
  const vitest = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    execute(process.execPath, [VITEST, 'run', '--root', SUITE, ...args], {
      cwd: PROJECT,
      env: {
        ...BARE,
        RUNDOWN_DSN: `${origin.replace('://', `://${keys.readWrite}@`)}/${projectId}`,
        RUNDOWN_CI_BUILD_ID: BUILD,
        RUNDOWN_SPOOL: join(folder, 'spool'),
        REPORTER: join(client, 'vitest.js'),
        ...env,
      },
    });
  /** Repeats what Vitest said about a suite in a recorded run. */
  const replay = (file: string) =>
    execute(process.execPath, [join(RETRIES_FOLDER, 'replay.mjs'), client, file], {
      cwd: folder,
      env: {
        ...BARE,
        RUNDOWN_DSN: `${origin.replace('://', `://${keys.readWrite}@`)}/${projectId}`,
        RUNDOWN_CI_BUILD_ID: BUILD,
        RUNDOWN_SPOOL: join(folder, 'spool'),
      },
    });
  const recorded = async (ciBuildId = BUILD) => {
    const { runId } = await read(tenant.api, `/runs/find?projectId=${projectId}&ciBuildId=${ciBuildId}`);
    return runOf(tenant, runId);
  };
  return { tenant, folder, vitest, replay, recorded };
}

// Untyped, because tests check the content of response bodies themselves.
type Body = Awaited<ReturnType<typeof read>>;

interface Seen {
  readonly name: string;
  readonly is: string;
  readonly context: (attempt: number) => Promise<Body>;
}

/**
 * Returns the run and its tests. The name of a test is `group › spec › title`, without the group if it is `default`.
 * `is` has the state of the test and the statuses of its attempts, for example `flaky: failed, passed`.
 */
async function runOf({ api }: Tenant, runId: string) {
  const run = await read(api, `/runs/${runId}`);
  const tests: Seen[] = [];
  for (const { instanceId } of run.specs) {
    const { groupId, spec, results } = await read(api, `/instances/${instanceId}`);
    const group = groupId === 'default' ? [] : [groupId];
    for (const { testId, title, state, isFlaky, attempts } of results.tests) {
      const statuses = attempts.map(({ rawStatus }: Body) => rawStatus).join(', ');
      const is = `${isFlaky ? 'flaky' : state}: ${statuses}`;
      const context = (attempt: number) =>
        read(api, `/context?instance_id=${instanceId}&test_id=${testId}&attempt=${attempt}`);
      tests.push({ name: [...group, spec, ...title].join(' › '), is, context });
    }
  }
  return { run, tests, states: Object.fromEntries(tests.map(({ name, is }) => [name, is])) };
}

const CART = {
  'cart.spec.ts › cart › holds an article': 'passed: passed',
  'cart.spec.ts › cart › discounts › apply once': 'failed: failed',
  'cart.spec.ts › cart › discounts › of 10 percent': 'passed: passed',
  'cart.spec.ts › cart › discounts › of 20 percent': 'passed: passed',
  'cart.spec.ts › reaches the stock': 'flaky: failed, passed',
  'cart.spec.ts › never reaches the stock': 'failed: failed, failed',
  'cart.spec.ts › asks the bank': 'failed: failed',
  'cart.spec.ts › gift cards': 'pending: skipped',
  'cart.spec.ts › vouchers': 'pending: skipped',
  'cart.spec.ts › returns': 'pending: skipped',
  'cart.spec.ts › sells what is sold out': 'passed: failed',
  'cart.spec.ts › sells nothing': 'failed: passed',
  'cart.spec.ts › waits for the bank': 'failed: failed',
  'cart.spec.ts › zahlt in € – schnell 🛒': 'passed: passed',
  'cart.spec.ts › same name': 'passed: passed',
  'cart.spec.ts › same name (2)': 'passed: passed',
};
const OTHERS = {
  'hooks.spec.ts › without a database › stores an order': 'skipped: skipped',
  'hooks.spec.ts › without a user › signs in': 'failed: failed',
  'hooks.spec.ts › without a broom › leaves a mess': 'passed: passed',
  'hooks.spec.ts › without a broom': 'failed: failed',
  'broken.spec.ts › broken.spec.ts': 'failed: failed',
  'rejection.spec.ts › forgets a promise': 'passed: passed',
};

describe('rundown-cli/vitest', () => {
  test("records the outcome and the attempts of each test, of failed hooks and of files that cannot be loaded, under the names that an import of Vitest's JUnit report gives them", async () => {
    const { tenant, folder, vitest, recorded } = await setting();
    const { status, output } = await vitest([], { REPORTS_FOLDER: folder });
    const { run, tests, states } = await recorded();
    expect({ states, status }).toEqual({ states: { ...CART, ...OTHERS }, status: 1 });
    expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    expect(await announcedFiles(tenant, run.runId)).toEqual([run.specs.length]);
    expect(output).toContain(`Rundown  22 tests recorded  →  ${tenant.origin}`);
    expect(output).toContain(`/runs/${run.runId}`);

    const attemptOf = async (name: string, attempt: number) =>
      tests.find((one) => one.name === `cart.spec.ts › ${name}`)?.context(attempt);
    expect(await attemptOf('cart › discounts › apply once', 0)).toMatchObject({
      error: {
        message: 'AssertionError: expected { times: 2 } to deeply equal { times: 1 }',
        location: { file: expect.stringMatching(/cart\.spec\.ts$/), line: 14 },
      },
      stdout: ['applied twice\n'],
      stderr: ['a warning\n'],
    });
    expect(await attemptOf('reaches the stock', 0)).toMatchObject({ stdout: ['try 1\n'] });
    expect(await attemptOf('never reaches the stock', 0)).toMatchObject({ error: { message: 'TypeError: no stock' } });
    expect(await attemptOf('never reaches the stock', 1)).toMatchObject({ error: { message: 'TypeError: no stock' } });

    expect(await attemptOf('asks the bank', 0)).toMatchObject({ error: { message: '{ code: 42 }' } });

    const report = await readFile(join(folder, 'junit.xml'));
    const { runId } = await imported(tenant, report, 'ciBuildId=imported');
    const names = (all: readonly Pick<Seen, 'name'>[]) => all.map(({ name }) => name).sort();
    // An import has no place for errors outside tests, so it records them as tests.
    const more = { name: 'vitest unhandled errors › Unhandled Rejection: nobody caught this' };
    expect(names((await runOf(tenant, runId)).tests)).toEqual(names([...tests, more]));
  });

  test('records two projects as groups of one run, and two shards as one run that ends with the last shard', async () => {
    const { vitest, recorded } = await setting();
    const args = ['-t', 'percent|broom', 'cart', 'hooks'];
    await vitest([...args, '--shard', '1/2'], { TWO_PROJECTS: '1' });
    expect((await recorded()).run).toMatchObject({ completionState: 'IN_PROGRESS' });
    await vitest([...args, '--shard', '2/2'], { TWO_PROJECTS: '1' });
    const { run, states } = await recorded();
    expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    for (const group of ['retail', 'wholesale'])
      expect(states).toMatchObject({
        [`${group} › cart.spec.ts › cart › discounts › of 10 percent`]: 'passed: passed',
        [`${group} › hooks.spec.ts › without a broom`]: 'failed: failed',
      });
  });

  test('ends the run as failed if Vitest found no test, or if every test passed but a rejected promise was not handled', async () => {
    const { vitest, recorded } = await setting();
    expect(await vitest(['unknown'])).toMatchObject({ status: 1 });
    expect((await recorded()).run).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED', specs: [] });
    expect(await vitest(['rejection'], { RUNDOWN_CI_BUILD_ID: 'build-2' })).toMatchObject({ status: 1 });
    const { run, states } = await recorded('build-2');
    expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    expect(states).toEqual({ 'rejection.spec.ts › forgets a promise': 'passed: passed' });
  });
});

const RETRIES_FOLDER = join(PROJECT, 'test/samples/vitest-retries');

/** What each version says about the tests of `samples/vitest-retries`. */
const REPEATED = {
  'throws in each try': 'passed: failed, failed, failed',
  'never throws': 'failed: passed',
  'throws only in the first try': 'failed: passed',
  'throws only in the second try': 'failed: passed',
  'throws without retries': 'passed: failed',
  'passes in the third try': 'flaky: failed, failed, passed',
  'never passes': 'failed: failed, failed, failed',
};
const RETRIES = {
  '3.0.0': REPEATED,
  '4.1.12': REPEATED,
  // Vitest 5 runs a test that is expected to fail again only if it did not throw.
  '5.1.2': {
    ...REPEATED,
    'throws in each try': 'passed: failed',
    'never throws': 'failed: passed, passed, passed',
    'throws only in the first try': 'passed: failed',
    'throws only in the second try': 'flaky: passed, failed',
  },
};

test.each(Object.entries(RETRIES))(
  'A test that is expected to fail is flaky only if Vitest %s says so, and gets no error that it did not throw',
  async (version, expected) => {
    const { recorded, replay } = await setting();
    const file = join(RETRIES_FOLDER, `vitest-${version}.json`);
    const { output } = await replay(file);
    const { states, tests } = await recorded();
    expect(states).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, is]) => [`suite.spec.ts › ${name}`, is])),
    );
    const flaky = JSON.parse(await readFile(file, 'utf8')).tests.filter((one: Body) => isFlakyIn(version, one));
    expect(Object.keys(expected).filter((name) => states[`suite.spec.ts › ${name}`]?.startsWith('flaky'))).toEqual(
      flaky.map(({ name }: Body) => name),
    );
    expect(output).toContain(`${flaky.length} flaky`);
    const context = await tests.find(({ name }) => name.endsWith('throws in each try'))?.context(0);
    expect(context.error).toBeNull();
  },
);

/** Vitest 3 and 4 call every repeated test that passed flaky, also one that failed as expected each time. */
const isFlakyIn = (version: string, { options, diagnostic }: Body): boolean =>
  diagnostic.flaky && !(options.fails === true && Number.parseInt(version, 10) < 5);

test('The pictures of screenshots that differ in the browser mode of Vitest are named like those of Playwright, which pages compare', async () => {
  const { tenant, folder, recorded, replay } = await setting();
  const file = join(PROJECT, 'test/samples/vitest-browser/vitest-5.1.2.json');
  const { tests: told } = JSON.parse(await readFile(file, 'utf8'));
  const paths = told.flatMap(({ artifacts }: Body) => artifacts.flatMap(({ attachments }: Body) => attachments));
  expect(paths).toHaveLength(9);
  for (const { path } of paths) {
    const own = path.replace('/project', folder);
    await mkdir(dirname(own), { recursive: true });
    await writeFile(own, path);
  }
  await replay(file);
  const { run } = await recorded();
  const { instanceId } = run.specs[0];
  const { results } = await read(tenant.api, `/instances/${instanceId}`);
  const partsOf = (name: string) => ['actual', 'diff', 'expected'].map((part) => `${name}-chromium-linux-${part}.png`);
  expect(results.screenshots.map(({ name }: Body) => name).sort()).toEqual(
    ['home', 'shows-the-cart-and-the-sum-1', 'shows-the-cart-and-the-sum-2'].flatMap(partsOf),
  );
});

/** Matches tests by their title and, if `error` is set, by the message of their error. */
const when = (pattern: string, error?: string) => ({
  op: 'AND',
  cond: [
    { type: 'title', op: 'eq', value: { type: 'RegexPattern', pattern } },
    ...(error === undefined ? [] : [{ type: 'error_message', op: 'inc', value: error }]),
  ],
});
const RULES = [
  { name: 'Cards are flaky', action: [{ op: 'quarantine' }], matcher: when('(a|wrong|stolen) card$') },
  { name: 'The bank is flaky', action: [{ op: 'quarantine' }], matcher: when('foreign', 'TypeError: no bank') },
  { name: 'Refunds are off', action: [{ op: 'skip' }], matcher: when('^refunds$') },
  { name: 'Wholesale', action: [{ op: 'tag', details: { tags: ['b2b'] } }], matcher: when('invoice') },
];

describe('rundown-cli/vitest-rules', () => {
  async function stage() {
    const tenant = await service();
    vi.useRealTimers();
    for (const rule of RULES) await tenant.api.post(`/actions?projectId=${tenant.projectId}`, rule);
    const folder = await temporaryFolder();
    const suite = join(folder, 'shop');
    await cp(join(PROJECT, 'test/samples/vitest-rules'), suite, { recursive: true });
    await mkdir(join(suite, 'node_modules'));
    await symlink(client, join(suite, 'node_modules/rundown-cli'));
    await symlink(join(PROJECT, 'node_modules/vitest'), join(suite, 'node_modules/vitest'));
    const run = (origin: string, ciBuildId: string) =>
      execute(process.execPath, [VITEST, 'run'], {
        cwd: suite,
        env: {
          ...BARE,
          RUNDOWN_DSN: `${origin.replace('://', `://${tenant.keys.readWrite}@`)}/${tenant.projectId}`,
          RUNDOWN_CI_BUILD_ID: ciBuildId,
          RUNDOWN_SPOOL: join(folder, 'spool'),
        },
      });
    const recorded = async (ciBuildId: string) => {
      const found = `/runs/find?projectId=${tenant.projectId}&ciBuildId=${ciBuildId}`;
      const { runId } = await read(tenant.api, found);
      const { status, specs } = await read(tenant.api, `/runs/${runId}`);
      const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
      return { status, tests: new Map<string, Body>(results.tests.map((one: Body) => [one.title.at(-1), one])) };
    };
    return { tenant, run, recorded };
  }

  test('skips, quarantines and tags Vitest tests by rules, and the failure of a quarantined test does not fail the run', async () => {
    const { tenant, run, recorded } = await stage();
    const { status, output, errors } = await run(tenant.origin, 'with rules');
    expect({ status, output, errors }).toMatchObject({ status: 0 });
    const { status: recordedStatus, tests } = await recorded('with rules');
    expect(recordedStatus).toBe('PASSED');
    expect([...tests].map(([title, { state, attempts }]) => `${title}: ${state}, ${attempts.length}`)).toEqual([
      'charges the wrong card: pending, 1',
      'pays by invoice: passed, 1',
      'pays with a card: pending, 1',
      'pays with a foreign card: pending, 1',
      'pays with a stolen card: passed, 1',
      'refunds: pending, 1',
    ]);
    const typesOf = (title: string) => tests.get(title).annotations.map(({ type }: { type: string }) => type);
    const quarantined = ['_currents:action:match', '_currents:rule:quarantine'];
    expect(typesOf('pays with a card')).toEqual(quarantined);
    expect(typesOf('pays with a foreign card')).toEqual(quarantined);
    expect(typesOf('charges the wrong card')).toEqual(quarantined);
    expect(typesOf('refunds')).toEqual(['_currents:rule:skip', 'skip']);
    expect(tests.get('pays by invoice').tags).toEqual(['b2b']);
    expect(tests.get('pays with a card').attempts).toMatchObject([
      { error: { message: expect.stringContaining("expected 'declined' to be 'accepted'") } },
    ]);
  });

  test('runs Vitest tests without rules, and prints a warning, if the rules of the project cannot be read', async () => {
    const { tenant, run, recorded } = await stage();
    const busy = await FaultyProxy.start(tenant.origin, (call) =>
      call.path.includes('/rules/') ? call.answer(503) : call.pass(),
    );
    const { status, errors } = await run(busy.origin, 'without rules');
    expect(status).toBe(1);
    expect(errors).toContain('the rules of the project could not be read, so they do not apply');
    const { tests } = await recorded('without rules');
    expect([...tests].flatMap(([title, { state }]) => (state === 'failed' ? title : []))).toEqual([
      'charges the wrong card',
      'pays with a card',
      'pays with a foreign card',
      'refunds',
    ]);
  });
});
