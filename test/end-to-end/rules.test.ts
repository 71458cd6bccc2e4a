import { describe, expect, test, vi } from 'vitest';
import { FaultyProxy } from '#test/client/faulty-proxy.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service, type Tenant } from '#test/harness/service.ts';
import { ownReporter } from './own-reporter.ts';
import { runSample } from './programs.ts';
import { proxyOf } from './sent-results.ts';

const all = (...cond: readonly object[]) => ({ op: 'AND', cond });
const RULES = [
  {
    name: 'Cards are flaky',
    action: [{ op: 'quarantine' }],
    matcher: all({ type: 'title', op: 'eq', value: { type: 'RegexPattern', pattern: 'card$' } }),
  },
  {
    name: 'Refunds are off',
    action: [{ op: 'skip' }],
    matcher: all({ type: 'titlePath', op: 'incAll', value: ['payment', 'refunds'] }),
  },
  {
    name: 'Wholesale payments',
    action: [{ op: 'tag', details: { tags: ['b2b'] } }],
    matcher: all(
      { type: 'file', op: 'eq', value: 'payment.spec.ts' },
      { type: 'project', op: 'eq', value: 'wholesale' },
    ),
  },
  {
    name: 'The bank loses cheques',
    action: [{ op: 'quarantine' }],
    matcher: all({ type: 'error_message', op: 'inc', value: 'Received: "lost"' }),
  },
];

const create = async ({ api, projectId }: Tenant, rule: object): Promise<string> =>
  (await api.post(`/actions?projectId=${projectId}`, rule)).body.data.actionId;

// Untyped, because tests check the content of response bodies themselves.
type Body = Awaited<ReturnType<typeof read>>;

type Service = Awaited<ReturnType<typeof service>>;
/** Returns the address that the reporter gets, and further variables of its environment. */
type Setup = (tenant: Service, ciBuildId: string) => Promise<{ origin: string; env: Readonly<Record<string, string>> }>;

const own: Setup = async (tenant, ciBuildId) => ({ origin: tenant.origin, env: await ownReporter(tenant, ciBuildId) });

const reporterAlone: Setup = async (tenant, ciBuildId) => {
  const { origin, env } = await own(tenant, ciBuildId);
  return { origin, env: { ...env, RUNDOWN_FIXTURES: 'none' } };
};

/** Runs the sample suite, and reads what was recorded. */
async function recorded(
  tenant: Service,
  {
    setup,
    ciBuildId,
    args = [],
    suite = 'playwright-rules',
  }: { setup: Setup; ciBuildId: string; args?: readonly string[]; suite?: string },
) {
  const { origin, env } = await setup(tenant, ciBuildId);
  const { status, output } = await runSample({ ...tenant, origin }, { ciBuildId, suite, args, env });
  const run = await read(tenant.api, `/runs/find?projectId=${tenant.projectId}&ciBuildId=${ciBuildId}`);
  const { specs } = await read(tenant.api, `/runs/${run.runId}`);
  const instances: Body[] = await Promise.all(
    specs.map(({ instanceId }: { instanceId: string }) => read(tenant.api, `/instances/${instanceId}`)),
  );
  const tests = new Map<string, Body>(
    instances.flatMap(({ groupId, results }) =>
      results.tests.map((one: Body): [string, Body] => [`${groupId} ${one.title.at(-1)}`, one]),
    ),
  );
  return { status, output, run, tests };
}

const typesOf = (test: { annotations: readonly { type: string }[] }): string[] =>
  test.annotations.map(({ type }) => type).filter((type) => type.startsWith('_currents:'));

describe.each<[string, Setup]>([
  ['@currents/playwright with its fixtures', ({ origin }) => proxyOf(origin)],
  ['rundown-cli/playwright with its fixtures', own],
  ['rundown-cli/playwright without fixtures', reporterAlone],
])('%s', (_, setup) => {
  test('The reporter skips, quarantines and tags tests by rules, and the failure of a quarantined test does not fail the run', async () => {
    vi.useRealTimers();
    const tenant = await service();
    const [quarantine, skip, tag] = await Promise.all(RULES.map((rule) => create(tenant, rule)));
    const { status, run, tests, output } = await recorded(tenant, { setup, ciBuildId: 'with rules' });
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(run).toMatchObject({ status: 'PASSED', completionState: 'COMPLETE' });
    for (const group of ['retail', 'wholesale']) {
      expect(tests.get(`${group} pays with a card`)).toMatchObject({ state: 'pending' });
      expect(tests.get(`${group} pays by cheque`)).toMatchObject({ state: 'pending' });
      expect(tests.get(`${group} refunds`)).toMatchObject({ state: 'pending' });
      expect(tests.get(`${group} pays by invoice @slow`)).toMatchObject({ state: 'passed' });
      expect(typesOf(tests.get(`${group} pays with a card`))).toEqual(
        expect.arrayContaining(['_currents:action:match', '_currents:rule:quarantine']),
      );
      expect(typesOf(tests.get(`${group} pays by cheque`))).toContain('_currents:rule:quarantine');
      expect(JSON.stringify(tests.get(`${group} pays with a card`).annotations)).toContain(quarantine);
      expect(JSON.stringify(tests.get(`${group} refunds`).annotations)).toContain(skip);
    }
    expect(tests.get('wholesale pays by invoice @slow').tags).toEqual(expect.arrayContaining(['b2b', 'slow']));
    expect(JSON.stringify(tests.get('wholesale pays by invoice @slow').annotations)).toContain(tag);
    expect(tests.get('retail pays by invoice @slow').tags).not.toContain('b2b');
  });

  test('The reporter runs tests that match only disabled or archived rules, and their failures fail the run', async () => {
    vi.useRealTimers();
    const tenant = await service();
    const [quarantine, skip] = await Promise.all(RULES.map((rule) => create(tenant, rule)));
    await tenant.api.send('PUT', `/actions/${quarantine}/disable`);
    await tenant.api.send('DELETE', `/actions/${skip}`);
    const { status, run, tests } = await recorded(tenant, {
      setup,
      ciBuildId: 'without rules',
      args: ['--project', 'retail'],
    });
    expect(status).toBe(1);
    expect(run).toMatchObject({ status: 'FAILED' });
    expect(tests.get('retail pays with a card')).toMatchObject({ state: 'failed' });
    expect(tests.get('retail refunds')).toMatchObject({ state: 'failed' });
  });
});

const QUARANTINE = {
  name: 'Unstable parts',
  action: [{ op: 'quarantine' }],
  matcher: all({ type: 'titlePath', op: 'inc', value: 'unstable' }),
};

describe('rundown-cli/playwright without fixtures', () => {
  const recordHooks = async (ciBuildId: string, ...projects: readonly string[]) => {
    vi.useRealTimers();
    const tenant = await service();
    await create(tenant, QUARANTINE);
    const args = projects.map((project) => `--project=${project}`);
    return recorded(tenant, { setup: reporterAlone, ciBuildId, args, suite: 'playwright-hooks' });
  };

  test('A quarantine also covers failed hooks, tests that did not run because of them, and timeouts, without retries', async () => {
    const { status, output, run, tests } = await recordHooks('hooks', 'hooks');
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(output).toContain('all failed tests are quarantined, so they do not fail the run');
    expect(run).toMatchObject({ status: 'PASSED' });
    for (const title of ['reads', 'writes', 'sends', 'unstable search never ends']) {
      const { state, attempts, ...rest } = tests.get(`hooks ${title}`);
      expect({ title, state }).toEqual({ title, state: 'pending' });
      expect(typesOf({ annotations: rest.annotations })).toEqual([
        '_currents:action:match',
        '_currents:rule:quarantine',
      ]);
    }
    expect(tests.get('hooks reads').attempts).toMatchObject([{ error: { message: 'Error: no database' } }]);
    expect(tests.get('hooks sends').attempts).toHaveLength(1);
    expect(tests.get('hooks adds up')).toMatchObject({ state: 'passed', annotations: [] });
  });

  test.each([
    ['a flaky test of a configuration with failOnFlakyTests', ['flaky']],
    ['a test that a quarantined one kept from running', ['serial']],
    ['an error outside tests', ['late']],
    ['tests behind a quarantined setup', ['behind login']],
  ])('A quarantine does not hide %s', async (reason, projects) => {
    const { status } = await recordHooks(reason, ...projects);
    expect(status).toBe(1);
  });
});

describe('rundown-cli/playwright with its fixtures', () => {
  test('If the service does not answer the request for the rules, the tests run without rules, and the wait does not count toward their timeout', async () => {
    vi.useRealTimers();
    const tenant = await service();
    await Promise.all(RULES.map((rule) => create(tenant, rule)));
    const { status, output, tests } = await recorded(tenant, {
      setup: async ({ origin, ...others }, ciBuildId) => {
        const silent = await FaultyProxy.start(origin, (call) =>
          call.path.includes('/rules/') ? undefined : call.pass(),
        );
        return own({ ...others, origin: silent.origin }, ciBuildId);
      },
      ciBuildId: 'silent',
      // The fixtures wait longer for the service than a test may take.
      args: ['--project', 'retail', '--timeout', '5000', '--grep', 'invoice|refunds'],
    });
    expect(status).toBe(1);
    expect(output).toContain('the rules of the project could not be read, so they do not apply');
    expect(tests.get('retail pays by invoice @slow')).toMatchObject({ state: 'passed' });
    expect(tests.get('retail refunds')).toMatchObject({
      state: 'failed',
      attempts: [{ error: { message: 'Error: This test must not run' } }],
    });
  });
});
