import { expect, test } from 'vitest';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { put } from '#shared/engine/table/writes.ts';
import { deriveInstanceId } from '#shared/model/ids.ts';
import { failures } from '#shared/model/results/failures.ts';
import type { Services } from '#shared/services.ts';
import { batch, comparisonOf } from '#test/harness/comparisons.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';

const SUMS = 'cart.spec.ts > sums';
const named = (count: number) => Array.from({ length: count }, (_, index) => `cart.spec.ts > test ${index}`);

/**
 * Adds one failed test per number to the run. The tests get no records, because a comparison reads only the records of
 * the tests that its page shows.
 */
async function failMany(
  { organizationId, services }: Tenant & { readonly services: Services },
  runId: string,
  numbers: readonly number[],
): Promise<void> {
  const rows = numbers.map((number) => ({
    organizationId,
    runId,
    mark: 'f' as const,
    expiresAt: undefined,
    instanceId: deriveInstanceId({ runId, groupId: 'retail', spec: `z${number}.spec.ts` }),
    testKey: computeDigest(12, String(number)),
    groupId: 'retail',
    spec: `z${number}.spec.ts`,
  }));
  await services.table.writeMany(rows.map((row) => put(failures, row)));
}

test('The pages of a section of a comparison return each test once', async () => {
  const stage = await service();
  const names = named(7);
  await batch(stage, 'base', { [SUMS]: passed() });
  const run = await batch(stage, 'run', Object.fromEntries([SUMS, ...names].map((name) => [name, failed()])));
  const titles: string[] = [];
  let page: number | false = 0;
  while (page !== false) {
    const query = `?verdict=new&limit=3&page=${page}`;
    const { sections } = await comparisonOf(stage.reader, run.runId, query);
    const [own, ...others] = sections;
    expect(own).toMatchObject({ verdict: 'new', total: 8 });
    for (const { tests, nextPage } of others) expect({ tests, nextPage }).toEqual({ tests: [], nextPage: false });
    titles.push(...(own?.tests ?? []).map(({ title }) => title.join(' > ')));
    page = own?.nextPage ?? false;
  }
  expect(titles.sort()).toEqual([SUMS, ...names].map((name) => name.split(' > ')[1]).sort());
  const first = await comparisonOf(stage.reader, run.runId, '?limit=3');
  expect(first.sections[0]).toMatchObject({ total: 8, nextPage: 1, tests: [{}, {}, {}] });
});

test.each([
  ['page=1', '`page` needs `verdict`, which selects the section to page through'],
  ['limit=51', '`limit`'],
  ['verdict=broken', '`verdict`'],
  ['base_run_id=', '`base_run_id` must have at least 1 character'],
  ['base=1', 'Unknown parameter `base`'],
])('A request for a comparison with %j is refused, and the error says what to send', async (query, problem) => {
  const stage = await service();
  const run = await batch(stage, 'run', { [SUMS]: failed() });
  const answer = await stage.reader.get(`/runs/${run.runId}/comparison?${query}`);
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(problem) } });
});

test('A comparison of runs with thousands of failures says that it is partial, and covers the same tests in both runs', async () => {
  const stage = await service();
  const base = await batch(stage, 'base', { [SUMS]: failed() });
  const run = await batch(stage, 'run', { [SUMS]: failed() });
  const even = (number: number) => number % 2 === 0;
  const all = Array.from({ length: 5000 }, (_, number) => number);
  await failMany(
    stage,
    run.runId,
    all.filter((number) => number < 4500),
  );
  await failMany(stage, base.runId, all.filter(even));
  const comparison = await comparisonOf(stage.reader, run.runId, '?limit=1');
  expect(comparison.isWhole).toBe(false);
  const totals = Object.fromEntries(comparison.sections.map(({ verdict, total }) => [verdict, total]));
  // Every second test also failed in the base. The comparison stops at the same test in both runs, so it reports about
  // half of the compared tests as still failing.
  const compared = (totals['new'] ?? 0) + (totals['still_failing'] ?? 0);
  expect(compared).toBe(2000);
  expect(totals['still_failing']).toBeGreaterThan(900);
  expect(totals['still_failing']).toBeLessThan(1100);
  expect(totals['fixed']).toBe(0);
  const cutVerdicts = comparison.sections.flatMap(({ verdict, isLowerBound }) => (isLowerBound ? [verdict] : []));
  expect(cutVerdicts).toEqual(['new', 'still_failing', 'fixed', 'not_run']);
});

test('A comparison looks up at most 100 tests that failed in the base, and says so if there are more', async () => {
  const stage = await service();
  const names = named(130);
  const base = await batch(stage, 'base', { [SUMS]: failed() });
  await failMany(
    stage,
    base.runId,
    names.map((_, index) => index),
  );
  const run = await batch(stage, 'run', { [SUMS]: passed() });
  const { isWhole, sections } = await comparisonOf(stage.reader, run.runId, '?limit=1');
  expect(isWhole).toBe(false);
  expect(sections.reduce((sum, { total }) => sum + total, 0)).toBe(100);
  expect(sections.flatMap(({ verdict, isLowerBound }) => (isLowerBound ? [verdict] : []))).toEqual([
    'fixed',
    'not_run',
  ]);
});
