import { describe, expect, test } from 'vitest';
import { listTests } from '#shared/analytics/metrics/list-tests.ts';
import { series, testsOptions, totals } from './rows.ts';

const MIXED = totals({
  executions: { passed: 4, failed: 3, pending: 2, skipped: 1 },
  flaky: { passed: 1, failed: 1 },
  milliseconds: { passed: 400, failed: 901, skipped: 5000 },
  timed: { passed: 4, failed: 2, skipped: 1 },
});

const only = (sent: Parameters<typeof testsOptions>[0] = {}, all = MIXED) =>
  listTests([series('sums', { totals: all })], undefined, testsOptions(sent))[0]?.metrics;

describe('The metrics of a test', () => {
  test('count skipped executions as failures and pending ones as ignored, with rates relative to all executions', () => {
    expect(only()).toEqual({
      executions: 10,
      passes: 4,
      failures: 4,
      ignored: 2,
      flaky: 2,
      failureRate: 0.4,
      flakinessRate: 0.2,
      // (400 + 901) / (4 + 2) = 216.83
      avgDurationMs: 217,
      avgDuration: 217,
      failureVolume: 4,
      flakinessVolume: 2,
      durationVolume: (1301 * 10) / 6,
    });
  });

  test('follow `metric_settings`, and rates count only the outcomes that `metric_settings.executions` lists', () => {
    const metric_settings = JSON.stringify({
      executions: ['passed', 'failed'],
      failureRate: ['failed', 'skipped'],
      flakinessRate: ['passed'],
      avgDuration: ['skipped'],
    });
    expect(only({ metric_settings })).toMatchObject({
      executions: 7,
      passes: 4,
      failures: 4,
      ignored: 2,
      flaky: 2,
      failureRate: 3 / 7,
      flakinessRate: 1 / 7,
      avgDurationMs: 5000,
      durationVolume: 35_000,
    });
  });

  test('Each metric setting that is not sent keeps its default', () => {
    expect(only({ metric_settings: '{"avgDuration":["failed"]}' })).toMatchObject({
      executions: 10,
      failureRate: 0.4,
      avgDurationMs: 451,
    });
  });

  test('The rates, durations and volumes of a test without counted executions are zero, never NaN', () => {
    const pending = totals({ executions: { pending: 3 } });
    expect(only({ metric_settings: '{"executions":["passed"]}' }, pending)).toEqual({
      executions: 0,
      passes: 0,
      failures: 0,
      ignored: 3,
      flaky: 0,
      failureRate: 0,
      flakinessRate: 0,
      avgDurationMs: 0,
      avgDuration: 0,
      failureVolume: 0,
      flakinessVolume: 0,
      durationVolume: 0,
    });
  });

  test('count only executions with the outcomes of `test_state[]`', () => {
    expect(only({ test_state: ['failed', 'pending'] })).toMatchObject({
      executions: 5,
      passes: 0,
      failures: 3,
      ignored: 2,
      flaky: 1,
      failureRate: 0.6,
      flakinessRate: 0.2,
      avgDurationMs: 451,
    });
  });
});

describe('A test in the list of tests', () => {
  const twice = (first: object, second: object, sent = {}) =>
    listTests([series('sums', first), series('sums', second)], undefined, testsOptions(sent));

  test('A listed test shows the sum of all its totals, and its latest tags', () => {
    const [row, ...others] = twice(
      { tags: ['old'], totals: MIXED, lastSeen: 1000 },
      { tags: ['b', 'a'], totals: MIXED, lastSeen: 2000 },
    );
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      title: 'sums',
      titlePath: ['sums'],
      spec: 'cart.spec.ts',
      latestTag: ['a', 'b'],
      lastSeen: '1970-01-01T00:00:02.000Z',
      metrics: { executions: 20, failureRate: 0.4, avgDurationMs: 217 },
    });
  });

  test('The tags of a listed test are `null` if it has none, and do not depend on the order in which equally recent totals are read', () => {
    expect(twice({}, {})[0]?.latestTag).toBeNull();
    const row = twice({ tags: ['a'] }, { tags: ['b'] });
    expect(row).toEqual(twice({ tags: ['b'] }, { tags: ['a'] }));
  });

  test('A listed test counts only the totals whose annotations match the filter', () => {
    const ownedBy = (description: string) => [{ type: 'owner', description }];
    const rows = twice(
      { annotations: ownedBy('payments'), totals: totals({ executions: { passed: 2 } }) },
      { annotations: ownedBy('search'), totals: totals({ executions: { passed: 5 } }) },
      { annotations: '[{"type":"owner","description":["payments","nobody"]}]' },
    );
    expect(rows.map(({ metrics }) => metrics.executions)).toEqual([2]);
  });

  test('A test without an execution whose outcome is in `test_state[]` is not listed', () => {
    expect(listTests([series('sums')], undefined, testsOptions({ test_state: ['failed'] }))).toEqual([]);
  });

  test.each([
    ['a part of the joined title in any case', { title: 'CART > s' }, ['cart > sums']],
    ['a part of the spec file in any case', { spec: 'SEARCH' }, ['finds']],
    ['a minimum number of executions', { min_executions: 2 }, ['finds']],
    ['title and spec file, which must both match', { title: 'sums', spec: 'search' }, []],
  ])('The list of tests is filtered by %s', (_, sent, titles) => {
    const found = { specFile: 'search.spec.ts', totals: totals({ executions: { passed: 1, pending: 1 } }) };
    const rows = listTests([series('cart > sums'), series('finds', found)], undefined, testsOptions(sent));
    expect(rows.map(({ title }) => title)).toEqual(titles);
  });
});
