/** The plan that divides a suite among the shards of a build. */
import { describe, expect, test } from 'vitest';
import { PLAYWRIGHT } from '#shared/model/runs/run.ts';
import { divideSuite } from '#shared/orchestration/plan-shards.ts';
import { cases } from '#test/harness/cases.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { seeded } from '#test/harness/recording-network.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const FILES = ['cart', 'order', 'stock', 'tax', 'user'].map((name, index) => ({
  groupId: 'retail',
  spec: `${name}.spec.ts`,
  units: Array.from({ length: index + 1 }, () => 1),
}));

const body = (more: object = {}) => ({ ciBuildId: 'b', suite: 'a'.repeat(16), total: 3, files: FILES, ...more });
const ask = ({ api, projectId }: Tenant, more: object = {}) =>
  api.post(`/projects/${projectId}/shard-plans`, body(more));

describe('The shards of a build', () => {
  test('get one plan, which gives each part of the suite to exactly one of them, even if they ask at the same time and again', async () => {
    const tenant = await service();
    const plans = await Promise.all(Array.from({ length: 9 }, () => dataOf(ask(tenant))));
    const again = await dataOf(ask(tenant, { ciBuildId: 'b', try: 2 }));
    expect(new Set([...plans, again].map((plan) => JSON.stringify(plan)))).toHaveProperty('size', 1);
    expect(again.shards.map((units: readonly number[]) => units.length)).toEqual(
      FILES.map(({ units }) => units.length),
    );
    expect(new Set(again.shards.flat())).toEqual(new Set([1, 2, 3]));
  });

  test.each([
    ['other tests', { suite: 'b'.repeat(16) }],
    ['another number of shards', { total: 4 }],
  ])('are refused with %s', async (_, more) => {
    const tenant = await service();
    await dataOf(ask(tenant));
    expect(await ask(tenant, more)).toMatchObject({ status: 409 });
    expect(await ask(tenant, { ...more, lane: 'windows' })).toMatchObject({ status: 200 });
  });

  test('get no plan in a project of another organization', async () => {
    const [tenant, other] = [await service(), await service()];
    expect(await ask({ ...other, projectId: tenant.projectId })).toMatchObject({ status: 404 });
  });

  test('are compared with the split of the runner, which gives each shard as many tests in their order', () => {
    const files = FILES.slice(0, 4).map((file) => ({ ...file, units: [1] }));
    const durations = new Map([8000, 7000, 2000, 1000].map((duration, index) => [files[index]?.spec ?? '', duration]));
    expect(divideSuite(files, 2, durations)).toMatchObject({ planned: [9000, 9000], builtIn: [15_000, 3000] });
    const whole = [{ groupId: 'retail', spec: 'cart.spec.ts', units: [3, 1] }];
    expect(divideSuite(whole, 2, new Map([['cart.spec.ts', 4000]]))).toMatchObject({ builtIn: [3000, 1000] });
  });

  test('are on the page of their run, with what was planned and what they took', async () => {
    const tenant = await service();
    await dataOf(ask(tenant, { total: 2 }));
    const name = 'cart.spec.ts > sums';
    for (const [machineId, part, seconds] of [
      ['m1', '1/2', 30],
      ['m2', '2/2', 90],
    ] as const) {
      const framework = { type: PLAYWRIGHT, version: '1.65.1', clientVersion: '0.2.0' };
      const more = { machineId, ciBuildId: 'b', part: `a ${part}`, framework };
      const { runId } = await dataOf(sendStart(tenant, startBody([liveGroup('retail', [name])], more)));
      const instances = liveInstances('retail', { [name]: passed() });
      if (machineId === 'm1') await dataOf(sendBatch(tenant, runId, { machineId, sequence: 0, instances }));
      clock.advance(1000 * seconds);
      await dataOf(sendEnd(tenant, runId, { machineId, batches: machineId === 'm1' ? 1 : 0 }));
      const path = `/${tenant.organizationId}/${tenant.projectId}/runs/${runId}`;
      const { text } = await (await signedIn(tenant, 'member')).get(path);
      expect(text).toContain('Shards2');
      expect(text).toContain(machineId === 'm1' ? '30.0 s' : '1m 30s');
    }
  });

  test('together run each unit once, and none takes longer than the mean and the longest unit together', () => {
    for (let seed = 1; seed <= cases(2000, 100); seed += 1) {
      const random = seeded(seed);
      const pick = (most: number) => 1 + Math.floor(random() * most);
      const total = pick(12);
      const files = Array.from({ length: pick(40) }, (_, index) => ({
        groupId: 'g',
        spec: `${index}.spec.ts`,
        units: Array.from({ length: pick(5) }, () => pick(20)),
      }));
      const durations = new Map(files.map(({ spec }) => [spec, pick(100_000)]));
      const { shards, planned } = divideSuite(files, total, durations);
      expect(shards.map((units) => units.length)).toEqual(files.map(({ units }) => units.length));
      expect(shards.flat().every((shard) => Number.isInteger(shard) && shard >= 1 && shard <= total)).toBe(true);
      const lengths = files.map(({ spec, units }) => {
        const tests = units.reduce((sum, count) => sum + count, 0);
        return units.map((count) => ((durations.get(spec) ?? 0) * count) / tests);
      });
      const mean = lengths.flat().reduce((sum, one) => sum + one, 0) / total;
      const loads = Array.from({ length: total }, (_, shard) =>
        lengths.flat().reduce((sum, one, unit) => sum + (shards.flat()[unit] === shard + 1 ? one : 0), 0),
      );
      expect(loads.map(Math.round)).toEqual(planned);
      expect(Math.max(...loads)).toBeLessThanOrEqual(mean + Math.max(...lengths.flat()) + 1e-6);
    }
  });
});
