/** A measurement of stored bytes that takes several calls, while files come and go. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { handler } from '#functions/schedules/measure-storage.ts';
import { parseTimetable } from '#infra/build/schedule-expression.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { FILE_LIMITS } from '#shared/engine/aws/limits.ts';
import { getObjectKey } from '#shared/model/results/artifact.ts';
import { storedBytes } from '#shared/model/usage/usage.ts';
import { USAGE_LIMITS } from '#shared/usage/limits.ts';
import { measureStorage } from '#shared/usage/measure-storage.ts';
import { readUsage } from '#shared/usage/read-usage.ts';
import { noteRemoved, takeRoom } from '#shared/usage/stored-bytes.ts';
import { cases } from '#test/harness/cases.ts';
import { service, type TestService } from '#test/harness/service.ts';

const HOUR = 3_600_000;
const ENDLESS = { remainingMilliseconds: () => Number.POSITIVE_INFINITY };

type Services = TestService['services'];

/** Lets the time run out after so many checks. There is one before each organization and one before each page. */
const endAfter = (checks: number) => {
  let count = 0;
  return { remainingMilliseconds: () => (++count > checks ? 0 : Number.POSITIVE_INFINITY) };
};

/** The files of an organization, stored and deleted as the functions do, with an own count of their bytes. */
function storeOf(services: Services, organizationId: string) {
  const files = new Map<string, number>();
  const artifactOf = (name: string) => ({ organizationId, instanceId: `a${name}`, objectName: 'file' });
  const put = (key: string, bytes: number) =>
    services.artifacts.put(key, Buffer.alloc(bytes), 'application/octet-stream');
  const remove = async (name: string): Promise<void> => {
    const bytes = files.get(name);
    if (bytes === undefined) return;
    await services.artifacts.remove(getObjectKey(artifactOf(name)));
    await noteRemoved(services, { organizationId }, [{ ...artifactOf(name), bytes }]);
    files.delete(name);
  };
  const add = async (name: string, bytes: number): Promise<void> => {
    await remove(name);
    expect(await takeRoom(services, artifactOf(name), bytes)).toBe(true);
    await put(getObjectKey(artifactOf(name)), bytes);
    files.set(name, bytes);
  };
  return {
    add,
    remove,
    putCache: (name: string, bytes: number) => put(`cache/${organizationId}/${name}`, bytes),
    count: () => [...files.values()].reduce((sum, bytes) => sum + bytes, 0),
    /** The oldest measurement of all, so that a call begins with this organization. */
    makeDue: () => services.table.update(storedBytes, { organizationId }, { set: [['measuredAt', 1]] }),
    row: () => services.table.get(storedBytes, { organizationId }, { consistent: true }),
    bytes: async () => (await readUsage(services, { organizationId, actor: OPERATOR })).storedBytes,
  };
}

async function stage() {
  // The object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const { services, tenant, organizationId } = await service();
  let ahead = 0;
  const later: Services = { ...services, now: () => Date.now() + ahead };
  const pass = (milliseconds: number) => {
    ahead += milliseconds;
  };
  return { services: later, pass, tenant, organizationId, store: storeOf(later, organizationId) };
}

describe('A measurement of stored bytes that takes several calls', () => {
  test('continues after the last key of the previous call, and keeps the previous result until it ends', async () => {
    const { services, store, organizationId } = await stage();
    for (let index = 0; index < 7; index += 1) await store.add(`${index}`, 10);
    await measureStorage(services, ENDLESS);
    // As if something had gone wrong that only a measurement corrects.
    await services.table.update(storedBytes, { organizationId }, { add: [['balance', 500]] });
    await store.makeDue();
    const reports = [];
    const results = [];
    while (reports.length < 6) {
      reports.push(await measureStorage(services, { ...endAfter(2), pageKeys: 2 }));
      results.push(await store.bytes());
    }
    // Seven files are four pages, and the folder of caches is a fifth one. The alarm about unfinished runs stays silent.
    const page = { measured: 0, pages: 1, nearlyFull: 0, finished: true };
    const none = { measured: 0, pages: 0, nearlyFull: 0, finished: true };
    expect(reports).toEqual([page, page, page, page, { ...page, measured: 1 }, none]);
    expect(results).toEqual([570, 570, 570, 570, 70, 70]);
    expect(await store.row()).not.toHaveProperty('listedTo');
  });

  test('ends with the exact number of bytes, in whatever order files are stored and deleted between its pages, in two organizations', async () => {
    const { services, tenant, store: first } = await stage();
    const stores = [first, storeOf(services, (await tenant()).organizationId)] as const;
    await stores[0].putCache('npm', 1000);
    await stores[1].putCache('npm', 3000);
    const which = { owner: fc.nat({ max: 1 }), name: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7') };
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), ...which, bytes: fc.integer({ min: 1, max: 99 }) }),
      fc.record({ kind: fc.constant('remove' as const), ...which }),
      fc.record({ kind: fc.constant('measure' as const), checks: fc.integer({ min: 2, max: 6 }) }),
    );
    const steps = fc.array(step, { minLength: 4, maxLength: 24 });
    const requireExact = async () => {
      expect(await stores[0].bytes()).toBe(1000 + stores[0].count());
      expect(await stores[1].bytes()).toBe(3000 + stores[1].count());
    };
    await measureStorage(services, ENDLESS);
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        for (const store of stores) await store.makeDue();
        for (const one of sequence) {
          const store = stores['owner' in one && one.owner === 1 ? 1 : 0];
          if (one.kind === 'add') await store.add(one.name, one.bytes);
          if (one.kind === 'remove') await store.remove(one.name);
          if (one.kind === 'measure') await measureStorage(services, { ...endAfter(one.checks), pageKeys: 1 });
          await requireExact();
        }
        await measureStorage(services, { ...ENDLESS, pageKeys: 3 });
        await requireExact();
        expect(await stores[0].row()).not.toHaveProperty('listedTo');
      }),
      { numRuns: cases(300, 12) },
    );
  });

  test('counts each page once if two calls list it at the same time', async () => {
    const { services, store } = await stage();
    for (let index = 0; index < 6; index += 1) await store.add(`${index}`, 10);
    const call = () => measureStorage(services, { ...ENDLESS, pageKeys: 1 });
    const reports = await Promise.all([call(), call(), call()]);
    expect(reports.map(({ finished }) => finished)).toEqual([true, true, true]);
    expect(await store.row()).toMatchObject({ measured: 60, balance: 60, balanceAtMeasurement: 60 });
  });

  test('raises the alarm about unfinished runs only when it takes more than two days', async () => {
    const { services, store, pass } = await stage();
    for (let index = 0; index < 6; index += 1) await store.add(`${index}`, 10);
    const call = () => measureStorage(services, { ...endAfter(2), pageKeys: 1 });
    expect(await call()).toMatchObject({ pages: 1, finished: true });
    pass(47 * HOUR);
    expect(await call()).toMatchObject({ pages: 1, finished: true });
    pass(2 * HOUR);
    expect(await call()).toMatchObject({ pages: 1, finished: false });
  });

  test('begins once a night, or when somebody calls the function by hand', async () => {
    const { services, store, pass } = await stage();
    await store.add('0', 10);
    const call = (options: object = {}) => measureStorage(services, { ...ENDLESS, ...options });
    expect((await call()).pages).toBeGreaterThan(0);
    pass(5.5 * HOUR);
    expect(await call()).toEqual({ measured: 0, pages: 0, nearlyFull: 0, finished: true });
    expect((await call({ isByHand: true })).pages).toBeGreaterThan(0);
    pass(18 * HOUR);
    expect((await call()).pages).toBeGreaterThan(0);
  });
});

test('Stored bytes that an earlier release measured stay right, and change with each file', async () => {
  const { services, store } = await stage();
  await store.add('0', 10);
  const { organizationId = '' } = (await store.row()) ?? {};
  const set = [
    ['measured', 700],
    ['measuredAt', services.now()],
    ['balanceAtMeasurement', 3],
  ] as const;
  await services.table.update(storedBytes, { organizationId }, { set });
  expect(await store.bytes()).toBe(707);
  await store.add('1', 5);
  await store.remove('0');
  expect(await store.bytes()).toBe(702);
});

test('40 million files are measured within a night if a page of the listing takes 200 ms', () => {
  const { expression, timeoutSeconds } = handler.schedule;
  const { after } = parseTimetable(expression);
  let calls = 0;
  const day = Date.UTC(2026, 10, 29);
  for (let at = after(day - 1, 0); at !== undefined && at < day + 24 * HOUR; at = after(at, 0)) calls += 1;
  const pagesPerCall = Math.floor((timeoutSeconds * 1000 - USAGE_LIMITS.measurementMarginMilliseconds) / 200);
  const pages = 40_000_000 / FILE_LIMITS.keysPerPage;
  expect({ calls, pagesPerCall, pages }).toEqual({ calls: 24, pagesPerCall: 4450, pages: 40_000 });
  expect(Math.ceil(pages / pagesPerCall)).toBe(9);
});
