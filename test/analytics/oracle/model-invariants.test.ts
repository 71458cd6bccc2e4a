/** Invariants of the read model: responses depend only on the test results, whatever summaries are stored. */
import { describe, expect, test } from 'vitest';
import { readSeries } from '#shared/analytics/read-series.ts';
import { rebuildAnalytics } from '#shared/analytics/rebuild.ts';
import { locateWholeSummary, readIndexes, readSummaries } from '#shared/analytics/span-index.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { getRowKey, remove, type Write } from '#shared/engine/table/writes.ts';
import { getLeaf, getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, type SpanRoot, spanRoots } from '#shared/model/analytics/root.ts';
import type { Services } from '#shared/services.ts';
import { UNFILTERED } from '#test/harness/analytics.ts';
import { sampled } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { type RunPlan, runPlan } from './plan.ts';
import { overHttp, TIME } from './recorder.ts';
import { answers, examples, recorded, type Stage, settle } from './settled.ts';
import { World } from './world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FAR = 99_999_999;

const rootsOf = ({ services, organizationId, projectId }: Stage): Promise<SpanRoot[]> => {
  const span = getRootsSpan({ organizationId, projectId }, 0, FAR);
  return services.table.queryAll(spanRoots, span, { consistent: true });
};

/** Runs sweeps until the summaries of all lengths are written. */
async function mergeAll(stage: Stage): Promise<void> {
  clock.advance(70 * DAY);
  for (let sweep = 0; sweep < 6; sweep += 1) {
    clock.advance(2 * MINUTE);
    await stage.runSchedule('mergeAnalytics');
  }
}

/**
 * Makes responses about two projects comparable. Drops properties that identify the project or depend on when a run
 * ended. Sorts rows again, because ties are ordered by signature, and signatures differ between projects.
 */
const IDENTIFYING = new Set([
  'signature',
  'projectId',
  'orgId',
  'runId',
  'instanceId',
  'latestRuns',
  'avgDurationSeconds',
]);
const comparable = (found: Awaited<ReturnType<typeof answers>>): unknown =>
  JSON.parse(JSON.stringify(found), (name, value) => {
    if (IDENTIFYING.has(name)) return undefined;
    return name === 'list' ? value.map((row: object) => JSON.stringify(row)).sort() : value;
  });

/**
 * Creates runs at fixed times, and ends them in the given order. `sweeps` says whether the read model is brought up to
 * date after the end of each run, or only at the end.
 */
async function endedInOrder(stage: Stage, plans: readonly RunPlan[], { order, sweeps }: Ending) {
  const tenant: Stage & Tenant = { ...stage, ...(await stage.tenant()) };
  const world = new World(overHttp(tenant));
  const from = Date.parse('2026-11-02T11:50:00Z');
  for (const [place, plan] of plans.entries()) {
    clock.set(from + place * 4 * MINUTE);
    await world.record({ ...plan, missing: 1, begins: false, isCanceled: false });
  }
  for (const place of order) {
    await world.finish(place, 20);
    if (sweeps) await settle(stage);
  }
  await settle(stage);
  return comparable(await answers(tenant, { from, to: from + DAY }));
}

interface Ending {
  readonly order: readonly number[];
  readonly sweeps: boolean;
}

/** Returns services that add the key of each summary that they write to the list `keys`. */
function noting(services: Services, keys: string[]): Services {
  const writeMany = (writes: Parameters<Services['table']['writeMany']>[0]) => {
    keys.push(...writes.flatMap(summaryKey));
    return services.table.writeMany(writes);
  };
  const table = new Proxy(services.table, {
    get: (target, name) => {
      if (name === 'writeMany') return writeMany;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { ...services, table };
}

function summaryKey(write: Write): string[] {
  if (write.kind !== 'put') return [];
  const { pk, sk } = getRowKey(write.item);
  return pk.startsWith('SPAN#') ? [`${pk} ${sk}`] : [];
}

describe('The responses of analytics', () => {
  test('Analytics responses do not depend on the order in which runs end and are merged', async () => {
    const stage = await service();
    const plans = examples(runPlan, 3);
    const first = await endedInOrder(stage, plans, { order: [0, 1, 2], sweeps: false });
    expect(JSON.stringify(first)).toContain('cart.spec.ts');
    const endings = [
      { order: [2, 1, 0], sweeps: true },
      { order: [1, 0, 2], sweeps: false },
    ];
    for (const ending of sampled(endings, 2)) expect(await endedInOrder(stage, plans, ending)).toEqual(first);
  });

  test('Analytics responses are the same after a rebuild, even if all summaries were lost', async () => {
    const { stage, period } = await recorded(3);
    const { services, organizationId, projectId } = stage;
    const before = await answers(stage, period);
    expect(before.tests.total).toBeGreaterThan(3);
    for (const isLost of [false, true]) {
      if (isLost) {
        await services.table.writeMany((await rootsOf(stage)).map((root) => remove(spanRoots, root)));
        expect((await answers(stage, period)).tests.total).toBe(0);
      }
      await rebuildAnalytics(services, { organizationId, projectId }, () => {});
      await settle(stage);
      expect(await answers(stage, period)).toEqual(before);
    }
  });

  test('Analytics responses are the same without the summaries of longer periods, but cost more read units', async () => {
    const { stage, period } = await recorded(5, {}, 17);
    await mergeAll(stage);
    const { services } = stage;
    const measured = async () => {
      const table = services.table.metered();
      const rows = await readSeries({ table }, stage, period, UNFILTERED);
      return { rows, found: await answers(stage, period), units: table.meter.readUnits };
    };
    const before = await measured();
    const roots = await rootsOf(stage);
    expect(new Set(roots.map(({ level }) => level))).toEqual(new Set([0, 1, 2, 3, 4]));
    const long = roots.filter(({ level }) => level > 0);
    await services.table.writeMany(long.map((root) => remove(spanRoots, root)));
    const after = await measured();
    expect([after.rows.length, after.found]).toEqual([before.rows.length, before.found]);
    expect(after.units).toBeGreaterThan(before.units);
  });

  test('Every stored summary of analytics is complete, no summary is written twice, and no run stays pending, even after crashes and concurrent updates', async () => {
    const stage = await service();
    const keys: string[] = [];
    const services = noting(stage.services, keys);
    const world = new World(overHttp(stage));
    for (const [place, plan] of examples(runPlan, 4).entries()) {
      await world.record({ ...plan, missing: 0 });
      clock.advance(7 * 60 * MINUTE);
      await sweepAnalytics(dyingAfter(services, place * 3), TIME).catch(() => {});
      await Promise.all([1, 2].map(() => sweepAnalytics(services, TIME)));
    }
    clock.advance(70 * DAY);
    for (let sweep = 0; sweep < 6; sweep += 1) {
      clock.advance(2 * MINUTE);
      await sweepAnalytics(services, TIME);
    }
    expect(keys.length).toBeGreaterThan(20);
    expect(new Set(keys).size).toBe(keys.length);
    const roots = (await rootsOf(stage)).filter(({ entries }) => entries > 0);
    expect(roots.length).toBeGreaterThan(5);
    for (const root of roots) {
      const [index] = await readIndexes(services, [root]);
      const cuts = Object.entries(index?.cuts ?? {});
      const places = [
        locateWholeSummary(root, 'tests'),
        locateWholeSummary(root, 'specs'),
        locateWholeSummary(root, 'events'),
        ...cuts.map(([cut, { tests }]) => ({ root, kind: 'tests' as const, cut, size: tests })),
        ...cuts.map(([cut, { specs }]) => ({ root, kind: 'specs' as const, cut, size: specs })),
      ];
      expect(await readSummaries(services, places)).toHaveLength(places.length);
    }
    const pending = getPendingRunsSpan(stage, 0, getLeaf(Date.now()));
    expect(await services.table.queryAll(pendingRuns, pending, { consistent: true })).toEqual([]);
  });
});
