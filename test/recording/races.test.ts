import { describe, expect, test, vi } from 'vitest';
import { cases, IS_DEEP } from '#test/harness/cases.ts';
import { query } from '#test/harness/client.ts';
import { claim, createRecord, type Recorder, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { failed, flaky, partsOf, passed, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { historyOf, read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';

/** The tests in each spec file, which have numbers as names. `npm run test:deep` has more tests. */
const NUMBERS = IS_DEEP ? [1, 2, 3, 4] : [1, 2];
const SPECS = ['a.spec.ts', 'b.spec.ts', 'c.spec.ts'];
const TESTS = SPECS.flatMap((spec) => NUMBERS.map((number) => `${spec} > ${number}`));
const ALL = TESTS.length;
const SUITE = [suiteGroup('retail', TESTS), suiteGroup('wholesale', TESTS)];

/**
 * The number of rounds of the tests that repeat their concurrent requests. Each round has up to 48 requests, or 24 in
 * `npm test`.
 */
const ROUNDS = Math.min(cases(10, 1), 100);

const refuse = (name: string): never => {
  throw new Error(`No machine claimed ${name}`);
};
const groupNames = SUITE.map(({ name }) => name);
const times = <Result>(count: number, make: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/**
 * Acts as one machine: starts the run, claims every spec file of a group and reports these tests, concurrently where
 * the protocol allows it.
 */
async function shard(
  recorder: Recorder,
  groupId: string,
  tests: readonly string[],
  ending: (test: string) => TestState,
): Promise<string> {
  const run = await startRun(recorder, SUITE, { group: groupId });
  await Promise.all(
    SPECS.map(async (spec) => {
      const claimed = await claim(recorder, run, spec);
      const own = tests.filter((test) => partsOf(test).spec === spec);
      await Promise.all(own.map((test) => createRecord(recorder, claimed, test, ending(test))));
    }),
  );
  return run.runId;
}

describe('Concurrent requests', () => {
  test('Concurrent starts of all machines of a build create one run, and only one machine is told that the run is new', async () => {
    const tenant = await service();
    const started = await times(8, (index) =>
      startRun(tenant, SUITE, { group: groupNames[index % 2], tags: [`shard-${index}`] }),
    );
    expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
    expect(new Set(started.map(({ machineId }) => machineId)).size).toBe(8);
    expect(started.filter(({ isNewRun }) => isNewRun)).toHaveLength(1);
    const runs = await read(tenant.api, `/projects/${tenant.projectId}/runs${query(['limit', '10'])}`);
    expect(runs).toHaveLength(1);
    expect([...runs[0].tags].sort()).toEqual(Array.from({ length: 8 }, (_, index) => `shard-${index}`));
    expect(runs[0].groups).toMatchObject([{ groupId: 'retail' }, { groupId: 'wholesale' }]);
  });

  test('Concurrent starts with different parts of the suite make the run expect the whole suite', async () => {
    const tenant = await service();
    const parts = [
      ...TESTS.map((name) => suiteGroup('retail', [name])),
      ...TESTS.map((name) => suiteGroup('wholesale', [name])),
    ];
    const started = await Promise.all(parts.map((part) => startRun(tenant, [part])));
    const { groups } = await read(tenant.api, `/runs/${started[0]?.runId}`);
    expect(groups).toMatchObject([
      { groupId: 'retail', specCount: 3, tests: { tests: ALL } },
      { groupId: 'wholesale', specCount: 3, tests: { tests: ALL } },
    ]);
  });

  test('Concurrent claims of one spec file each get their own claim number', async () => {
    const tenant = await service();
    const run = await startRun(tenant, SUITE);
    const claims = await times(8, (index) => claim(tenant, { ...run, machineId: `machine-${index}` }, 'a.spec.ts'));
    expect(new Set(claims.map(({ instanceId }) => instanceId)).size).toBe(1);
    expect(claims.map(({ claimedCount }) => claimedCount).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const { claimList } = await read(tenant.api, `/instances/${claims[0]?.instanceId}`);
    expect(claimList.map(({ machineId }: { machineId: string }) => machineId).sort()).toEqual(
      Array.from({ length: 8 }, (_, index) => `machine-${index}`),
    );
  });

  test('Parallel shards of two groups count each test exactly once, and complete the run', async () => {
    const tenant = await service();
    const ending = (name: string) =>
      name === 'b.spec.ts > 2' ? failed() : name === 'c.spec.ts > 1' ? flaky() : passed();
    const half = (shardIndex: number) => TESTS.filter((_, index) => index % 2 === shardIndex);
    const ids = await Promise.all(
      groupNames.flatMap((group) => [0, 1].map((index) => shard(tenant, group, half(index), ending))),
    );
    const run = await read(tenant.api, `/runs/${ids[0]}`);
    const counts = { overall: ALL, tests: ALL, passes: ALL - 1, failures: 1 };
    const counted = { ...counts, pending: 0, skipped: 0, flaky: 1, retries: 2 };
    const instances = { overall: 3, claimed: 3, complete: 3, passes: 2, failures: 1 };
    expect(run).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
    expect(run.groups).toMatchObject([
      { tests: counted, instances },
      { tests: counted, instances },
    ]);
  });

  test('Concurrent final messages of all tests complete the run', async () => {
    vi.useRealTimers();
    const tenant = await service();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const run = await startRun(tenant, [suiteGroup('retail', TESTS)], { ciBuildId: `round-${round}` });
      const claims = new Map(
        await Promise.all(SPECS.map(async (spec) => [spec, await claim(tenant, run, spec)] as const)),
      );
      await Promise.all(
        [...TESTS, ...TESTS].map(async (name) => {
          const claimed = claims.get(partsOf(name).spec);
          if (claimed) await createRecord(tenant, claimed, name, passed());
        }),
      );
      const { completionState, groups, specs } = await read(tenant.api, `/runs/${run.runId}`);
      expect({ completionState, groups }).toMatchObject({
        completionState: 'COMPLETE',
        groups: [{ tests: { overall: ALL, passes: ALL }, instances: { complete: 3, passes: 3 } }],
      });
      for (const { instanceId, completedAt } of specs) {
        expect((await read(tenant.api, `/instances/${instanceId}`)).completedAt).toBe(completedAt);
      }
    }
  });

  test('After concurrent messages about the same tests, the run, its instances and the histories have the newest result of each test', async () => {
    const tenant = await service();
    const red = failed();
    const yellow = flaky();
    const green = passed();
    const last = new Map(TESTS.map((name, index) => [name, [red, yellow, green][index % 3] ?? green]));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const run = await startRun(tenant, [suiteGroup('retail', TESTS)], { ciBuildId: `round-${round}` });
      const claims = await Promise.all(SPECS.map((spec) => claim(tenant, run, spec)));
      await Promise.all(
        TESTS.flatMap((name) => {
          const claimed = claims.find(({ spec }) => spec === partsOf(name).spec) ?? refuse(name);
          const states = [green, red, yellow, last.get(name) ?? green];
          return states.map((state, sequence) => createRecord(tenant, claimed, name, state, sequence));
        }),
      );
      const { groups, status } = await read(tenant.api, `/runs/${run.runId}`);
      const third = ALL / 3;
      const counts = { overall: ALL, tests: ALL, passes: 2 * third, failures: third };
      const counted = { ...counts, pending: 0, skipped: 0, flaky: third, retries: 2 * third };
      expect({ status, counted: groups[0].tests }).toEqual({ status: 'FAILED', counted });
      for (const { instanceId, spec } of claims) {
        const { results } = await read(tenant.api, `/instances/${instanceId}`);
        for (const { title, state, isFlaky } of results.tests) {
          const { _s, _f } = last.get(`${spec} > ${title[0]}`) ?? green;
          expect([state, isFlaky]).toEqual([_s, _f]);
          const executions = await historyOf(tenant, { spec, title });
          const own = executions.filter(({ runId }: { runId: string }) => runId === run.runId);
          expect(own).toMatchObject([{ status: _s, flaky: _f }]);
        }
      }
    }
  });

  test('Concurrent uploads of different tests of one spec file keep the tests of both uploads', async () => {
    const tenant = await service();
    const [first = '', second = ''] = TESTS;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const more = { group: 'unit', ciBuildId: `round-${round}` };
      const { runId } = await upload(tenant, [suiteGroup('unit', [first, second])], [], more);
      await Promise.all([
        upload(tenant, [], [batchInstance('unit', 'a.spec.ts', { [first]: passed() })], more),
        upload(tenant, [], [batchInstance('unit', 'a.spec.ts', { [second]: failed() })], more),
      ]);
      const { completionState, groups, specs } = await read(tenant.api, `/runs/${runId}`);
      const { results } = await read(tenant.api, `/instances/${specs[0].instanceId}`);
      expect({ completionState, tests: groups[0].tests }).toMatchObject({
        completionState: 'COMPLETE',
        tests: { overall: 2, passes: 1, failures: 1 },
      });
      expect(results.tests).toMatchObject([
        { title: ['1'], state: 'passed' },
        { title: ['2'], state: 'failed' },
      ]);
    }
  });
});
