import { describe, expect, test } from 'vitest';
import { errorTimeline, exploreErrors } from './explore-errors.ts';
import { exploreSpecs } from './explore-specs.ts';
import { insights } from './insights.ts';
import {
  attempt,
  BROKEN,
  DAY,
  EVERYTHING,
  failedTest,
  flakyTest,
  instance,
  MIDNIGHT,
  PERIOD,
  passedTest,
  run,
} from './made.ts';
import { ordered, pageOf } from './order.ts';
import { instanceExecutions, testExecutions } from './selection.ts';

const signatureOf = (spec: string) => spec;

describe('The oracle of lists and counts', () => {
  test('The oracle sorts equal values by ascending tiebreakers, and nulls last', () => {
    const rows = [
      { value: null, title: 'n' },
      { value: 1, title: 'b' },
      { value: 1, title: 'a' },
      { value: 2, title: 'c' },
    ];
    const titles = (dir: 'asc' | 'desc') =>
      ordered(rows, dir, ({ value, title }) => [value, title]).map(({ title }) => title);
    expect([titles('asc'), titles('desc')]).toEqual([
      ['a', 'b', 'c', 'n'],
      ['c', 'a', 'b', 'n'],
    ]);
    // U+1F600 sorts after U+FF5E by code point, although its first UTF-16 unit is smaller.
    expect(ordered(['\u{1f600}', '\uff5e'], 'asc', (text) => [text])).toEqual(['\uff5e', '\u{1f600}']);
  });

  test('The oracle splits a list into pages, each with the total number of rows and the number of the next page', () => {
    expect(pageOf(['a', 'b', 'c'], 0, 2)).toEqual({ list: ['a', 'b'], total: 3, nextPage: 1 });
    expect(pageOf(['a', 'b', 'c'], 1, 2)).toEqual({ list: ['c'], total: 3, nextPage: false });
    expect(pageOf(['a', 'b'], 0, 2)).toEqual({ list: ['a', 'b'], total: 2, nextPage: false });
  });

  test('The oracle counts the executions of spec files by their outcome', () => {
    const late = { ...attempt('passed', 400), startedAt: MIDNIGHT + 1000 };
    const runs = [
      run([instance([passedTest('a'), passedTest('b', { attempts: [late] })])]),
      run([instance([failedTest('a'), flakyTest('b')])]),
      run([instance([passedTest('a')], { expected: 2 })], { ending: 'TIMEOUT' }),
      run([instance([], { expected: 2, isClaimed: false })], { ending: 'CANCELED' }),
    ];
    const metrics = {
      overallExecutions: 3,
      failedExecutions: 1,
      flakyExecutions: 1,
      timeoutExecutions: 1,
      fullyReported: 2,
      suiteSize: 2,
      failureRate: 1 / 3,
      flakeRate: 1 / 3,
      timeoutRate: 1 / 3,
      avgDuration: 1400,
    };
    expect(exploreSpecs(runs, EVERYTHING, signatureOf)).toEqual([
      { spec: 'cart.spec.ts', signature: 'cart.spec.ts', metrics },
    ]);
    // The failed execution of the spec file took 500 ms, the duration of its longest attempt, because all its attempts
    // started at the same time.
    const [row] = exploreSpecs(runs, { ...EVERYTHING, includeFailedInDuration: true }, signatureOf);
    expect(row?.metrics.avgDuration).toBe(950);
  });

  test('The oracle counts the errors of failed and flaky tests, but not of skipped ones', () => {
    const other = { ...BROKEN, message: 'gone', action: null };
    const skipped = { outcome: 'skipped', attempts: [attempt('skipped', 0, BROKEN)] } as const;
    const runs = [
      run([instance([failedTest('a'), flakyTest('b'), passedTest('c', skipped)])]),
      run([instance([failedTest('a')])], { branch: null, createdAt: MIDNIGHT + 5 }),
      run([instance([failedTest('d', { attempts: [attempt('failed', 1, BROKEN), attempt('failed', 1, other)] })])]),
      run([instance([failedTest('e', { attempts: [attempt('failed', 1)] })])]),
    ];
    const times = { firstSeen: '2026-11-03T00:00:00.000Z', lastSeen: '2026-11-03T00:00:00.005Z' };
    const keys = { message: 'broken', target: null, action: 'click', category: 'Action' };
    const [first, second] = exploreErrors(runs, EVERYTHING);
    expect(first).toEqual({ ...keys, count: 3, tests: 2, branches: 2, runs: 1, ...times });
    expect(second).toMatchObject({ message: 'gone', count: 1, tests: 1, branches: 1 });
    const byAction = exploreErrors(runs, { ...EVERYTHING, groupBy: ['action'] });
    expect(byAction).toEqual([{ action: 'click', count: 3, tests: 2, branches: 2, runs: 1, ...times }]);
    const byTarget = exploreErrors(runs, { ...EVERYTHING, groupBy: ['target'] });
    expect(byTarget).toEqual([]);
    expect(exploreErrors(runs, { ...EVERYTHING, message: 'GON', category: 'action' })).toHaveLength(1);
    expect(exploreErrors(runs, { ...EVERYTHING, category: 'act' })).toEqual([]);
    const tests = errorTimeline(runs, { ...EVERYTHING, groupBy: ['message'] }, 'test', 1);
    expect(tests).toEqual({ [MIDNIGHT]: [{ message: 'broken', value: 2 }] });
  });

  test('The oracle counts the runs and tests of a period, but runs in progress only in the total, and lists all buckets that the period touches', () => {
    const runs = [
      run([instance([passedTest('a'), flakyTest('b')])]),
      run([instance([failedTest('a')])], { ending: 'CANCELED', createdAt: MIDNIGHT + 1 }),
      run([instance([passedTest('a')], { expected: 2 })], { ending: 'TIMEOUT', createdAt: MIDNIGHT + DAY }),
      run([instance([passedTest('a')])], { ending: null }),
    ];
    const question = { period: { from: MIDNIGHT + 1, to: MIDNIGHT + DAY + 1 }, filter: {} };
    const { overall, timeline } = insights(runs, question, '1d');
    const none = { completed: 0, cancelled: 0, timeouts: 0, failed: 0, passed: 0, avgDurationSeconds: 0 };
    expect(overall.runs).toEqual({ ...none, total: 2, cancelled: 1, timeouts: 1, failed: 1 });
    expect(Object.keys(timeline)).toEqual([`${MIDNIGHT}`, `${MIDNIGHT + DAY}`]);
    const day = insights(runs, EVERYTHING, '1d').overall;
    expect(day).toEqual({
      runs: { ...none, total: 3, completed: 1, passed: 1, cancelled: 1, failed: 0, avgDurationSeconds: 60 },
      tests: { total: 3, passed: 2, failed: 1, pending: 0, skipped: 0, flaky: 1 },
    });
    expect(Object.keys(insights(runs, EVERYTHING, '1w').timeline)).toEqual([`${MIDNIGHT - DAY}`]);
    expect(Object.keys(insights(runs, EVERYTHING, '1h').timeline)).toHaveLength(24);
  });

  test('The oracle counts only the tests of matching groups, and filters spec files by the tags of the run and the group', () => {
    const groups = [
      { name: 'web', tags: ['ui'], environment: null },
      { name: 'ios', tags: [], environment: null },
    ];
    const own = instance([passedTest('b', { tags: ['ui'] })], { group: 'ios' });
    const question = { period: PERIOD, filter: { tags: ['ui'] } };
    const runs = [run([instance([passedTest('a')]), own], { groups })];
    expect(insights(runs, question, '1d').overall.tests.total).toBe(1);
    expect(testExecutions(runs, question)).toHaveLength(2);
    expect(instanceExecutions(runs, question)).toHaveLength(1);
  });
});
