/** Shards of Playwright that balance their tests, and later tries that repeat only what failed, by the reporter alone. */
import { expect, test, vi } from 'vitest';
import { FaultyProxy } from '#test/client/faulty-proxy.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { ownReporter } from './own-reporter.ts';
import { runSample } from './programs.ts';

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

async function startShard(stage: Stage, shard: string, more: Readonly<Record<string, string>>, origin = stage.origin) {
  const own = await ownReporter({ ...stage, origin }, 'b');
  const env = { ...own, RUNDOWN_SHARDS: 'balanced', RUNDOWN_TRY: '1', ...more };
  const { status, output } = await runSample(stage, {
    ciBuildId: 'b',
    suite: 'playwright-shards',
    args: [`--shard=${shard}`],
    env,
  });
  // The list reporter prints each test that ran.
  const ran = [...output.matchAll(/^ +[✓✘ok x]+ +\d+ .* › ([a-z ]+?)(?: \(|$)/gm)].map(([, title = '']) => title);
  return { status, output, ran: ran.toSorted() };
}

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
});

test('A shard that cannot read the plan, or what failed before, runs all tests', async () => {
  vi.useRealTimers();
  const stage = await service();
  const refusing = await FaultyProxy.start(stage.origin, (call) =>
    /shard-plans|last-failed/.test(call.path) ? call.answer(403, {}) : call.pass(),
  );
  const more = { RUNDOWN_TRY: '2', RUNDOWN_LAST_FAILED: '1', REPAIRED: '1' };
  const { status, output, ran } = await startShard(stage, '1/2', more, refusing.origin);
  expect({ status, ran }).toEqual({ status: 0, ran: SUITE });
  expect(output).toContain('all tests run, because the plan of the shards cannot be read');
});
