/** Shards of Playwright that balance their tests, and later tries that repeat only what failed, by the reporter alone. */
import { expect, test, vi } from 'vitest';
import { CONTROLLED_CLOCK, FAULT_NAMES, startWithFault } from '#test/client/service-faults.ts';
import { sampled } from '#test/harness/cases.ts';
import { read } from '#test/harness/recording-readback.ts';
import { createRule } from '#test/harness/rules.ts';
import { service } from '#test/harness/service.ts';
import { endOf, start, temporaryFolder } from '#test/infra/local/child.ts';
import { ownReporter } from './own-reporter.ts';
import { PLAYWRIGHT, runSample } from './programs.ts';

const SUITE = [
  'closes',
  'counts',
  'opens',
  'reads order',
  'reads stock',
  'reads tax',
  'writes order',
  'writes stock',
  'writes tax',
];

type Stage = Awaited<ReturnType<typeof service>>;

async function startShard(stage: Stage, shard: string, more: Readonly<Record<string, string>>) {
  const own = await ownReporter(stage, 'b');
  const env = { ...own, RUNDOWN_SHARDS: 'balanced', RUNDOWN_TRY: '1', RUNDOWN_LEG: 'only', ...more };
  const { status, output } = await runSample(stage, {
    ciBuildId: 'b',
    suite: 'playwright-shards',
    args: [`--shard=${shard}`],
    env,
  });
  return { status, output, ran: listRan(output) };
}

/** The list reporter prints each test that ran. */
const listRan = (output: string): string[] =>
  [...output.matchAll(/^ +[✓✘ok x]+ +\d+ .* › ([a-z ]+?)(?: \(|$)/gm)].map(([, title = '']) => title).toSorted();

const titled = (value: string) => ({ op: 'AND', cond: [{ type: 'title', op: 'eq', value }] });

test('Balanced shards run each test once, and a later try repeats only what failed, each shard its own', async () => {
  vi.useRealTimers();
  const stage = await service();
  const first = await startShard(stage, '1/2', {});
  const second = await startShard(stage, '2/2', {});
  expect([...first.ran, ...second.ran].toSorted()).toEqual(SUITE);
  expect([first.status, second.status].toSorted()).toEqual([0, 1]);
  const again = { RUNDOWN_TRY: '2', RUNDOWN_LAST_FAILED: '1', REPAIRED: '1' };
  const [failedShard, passedShard] = first.status === 1 ? ['1/2', '2/2'] : ['2/2', '1/2'];
  const repeated = await startShard(stage, failedShard, again);
  expect(repeated).toMatchObject({ status: 0, ran: ['closes', 'opens'] });
  const idle = await startShard(stage, passedShard, again);
  expect(idle).toMatchObject({ status: 0, ran: [] });
  expect(idle.output).toContain('nothing to run again');
  const run = await read(stage.api, `/runs/find?projectId=${stage.projectId}&ciBuildId=b`);
  expect(run).toMatchObject({ status: 'PASSED', build: { status: 'PASSED', tests: { overall: 9, passes: 9 } } });
  const sister = await startShard(stage, passedShard, { ...again, RUNDOWN_LEG: 'other' });
  expect(sister.ran).toEqual(passedShard === '1/2' ? first.ran : second.ran);
  expect(sister.output).toContain('This job, with these tests and this shard, reported nothing');
});

test.each(sampled(FAULT_NAMES, FAULT_NAMES.length, 4))(
  'A shard runs all tests if it cannot read the plan, what failed before, and the rules: the service %s',
  async (fault) => {
    vi.useRealTimers();
    const stage = await service();
    await createRule(stage, { action: [{ op: 'quarantine' }], matcher: titled('closes') });
    await createRule(stage, { action: [{ op: 'skip' }], matcher: titled('counts') });
    const folder = await temporaryFolder();
    const child = await startWithFault(stage.origin, fault, async (origin) =>
      start(
        [
          ...CONTROLLED_CLOCK,
          PLAYWRIGHT,
          'test',
          '--config',
          'test/samples/playwright-shards',
          '--output',
          folder,
          '--shard=1/2',
        ],
        {
          ...(await ownReporter({ ...stage, origin }, 'b')),
          FORCE_COLOR: '0',
          RUNDOWN_SHARDS: 'balanced',
          RUNDOWN_LAST_FAILED: '1',
          RUNDOWN_LEG: 'only',
          RUNDOWN_TRY: '2',
          RUNDOWN_WAIT_AT_END: '1',
        },
      ),
    );
    const { status, output } = await endOf(child);
    expect({ status, ran: listRan(output) }).toEqual({ status: 1, ran: SUITE });
    expect(output).toContain('all tests run, because the plan of the shards cannot be read');
  },
);
