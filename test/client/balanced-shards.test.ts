/** What the shards of a suite run together, whatever happens to their requests. */
import type { FullProject, Suite, TestCase, TestRun } from '@playwright/test/reporter';
import { expect, test, vi } from 'vitest';
import { balanceShards } from '#infra/client/reporters/playwright-shards.ts';
import { readReporterSettings } from '#infra/client/reporters/settings.ts';
import { cases } from '#test/harness/cases.ts';
import { seeded } from '#test/harness/recording-network.ts';
import { service } from '#test/harness/service.ts';
import { type Call, FaultyProxy } from './faulty-proxy.ts';

const FILES = 12;
const TESTS = 3;

/** As much of a suite of Playwright as the reporter reads. */
function makeSuite() {
  const project: Partial<Suite> = {
    type: 'project',
    project: () => ({ name: 'retail', dependencies: [] }) as unknown as FullProject,
  };
  const tests = Array.from({ length: FILES * TESTS }, (_, index): Partial<TestCase> => {
    const parent: Partial<Suite> = { type: 'file', title: `${Math.floor(index / TESTS)}.spec.ts` };
    return { id: `test-${index}`, parent: parent as Suite };
  }) as TestCase[];
  const files = new Map<string, Suite>();
  for (const one of tests) {
    const { title } = one.parent;
    files.set(title, files.get(title) ?? one.parent);
    Object.assign(one, { parent: files.get(title) });
  }
  Object.assign(project, { allTests: () => tests });
  const places = new Map(
    tests.map((one) => [one, { groupId: 'retail', spec: one.parent.title, place: one.id }] as const),
  );
  return { suite: { suites: [project] } as unknown as Suite, tests, places };
}

/** How the answer to a request gets lost. The service has done its work in some of them. */
const FAULTS: readonly ((call: Call) => unknown)[] = [
  (call) => call.pass(),
  (call) => call.reset(),
  (call) => call.answer(500),
  async (call) => {
    await call.store();
    call.reset();
  },
  async (call) => call.cut(await call.store()),
];

test('Shards together run the whole suite, and those that got the plan run no test twice, in any order and with any failed request', async () => {
  vi.useRealTimers();
  const tenant = await service();
  for (let seed = 1; seed <= cases(60, 3); seed += 1) {
    const random = seeded(seed);
    const pick = (most: number) => Math.floor(random() * most);
    const total = 2 + pick(4);
    const shards = await Promise.all(
      Array.from({ length: total }, async (_, index) => {
        const isRefused = pick(5) === 0;
        const first = FAULTS[pick(FAULTS.length)];
        let calls = 0;
        const proxy = await FaultyProxy.start(tenant.origin, (call) => {
          calls += 1;
          if (isRefused) return call.answer(403);
          return calls === 1 ? first?.(call) : call.pass();
        });
        const settings = readReporterSettings({
          url: proxy.origin,
          key: tenant.keys.readWrite,
          project: tenant.projectId,
          ciBuildId: `build ${seed}`,
        });
        if (!settings) throw new Error('The settings are incomplete');
        const { suite, tests, places } = makeSuite();
        const excluded = new Set<unknown>();
        const testRun: Partial<TestRun> = {
          exclude: (target) => void excluded.add(target),
          skipSharding: () => undefined,
        };
        const shard = { current: index + 1, total };
        await balanceShards({ suite, testRun: testRun as TestRun, shard, settings, places });
        return { isRefused, ids: tests.filter((one) => !excluded.has(one)).map(({ id }) => id) };
      }),
    );
    const planned = shards.filter(({ isRefused }) => !isRefused).flatMap(({ ids }) => ids);
    expect(new Set(planned).size).toBe(planned.length);
    expect(new Set(shards.flatMap(({ ids }) => ids)).size).toBe(FILES * TESTS);
  }
});
