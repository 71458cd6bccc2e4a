import { describe, expect, test } from 'vitest';
import { exploreTests, type TestsQuestion } from './explore-tests.ts';
import { attempt, DAY, EVERYTHING, failedTest, flakyTest, instance, MIDNIGHT, passedTest, run } from './made.ts';
import type { SentRun } from './sent.ts';

const signatureOf = (spec: string, title: readonly string[] = []) => [spec, ...title].join('/');
const testsOf = (runs: readonly SentRun[], question: Partial<TestsQuestion> = {}) =>
  exploreTests(runs, { ...EVERYTHING, ...question }, signatureOf);
const titlesOf = (runs: readonly SentRun[], question: Partial<TestsQuestion> = {}) =>
  testsOf(runs, question).map(({ title }) => title.replace('cart > ', ''));

describe('The oracle of the tests explorer', () => {
  test('The oracle counts executions by outcome, with rates, volumes and the average duration', () => {
    const runs = [
      run([instance([passedTest('a')])]),
      run([instance([failedTest('a')])]),
      run([instance([flakyTest('a')])]),
      run([instance([passedTest('a', { outcome: 'pending', attempts: [attempt('skipped', 9)] })])]),
      run([instance([passedTest('a', { outcome: 'skipped', attempts: [attempt('skipped', 9)] })])]),
    ];
    expect(testsOf(runs)).toEqual([
      {
        title: 'cart > a',
        signature: 'cart.spec.ts/cart/a',
        spec: 'cart.spec.ts',
        metrics: {
          executions: 5,
          passes: 2,
          failures: 2,
          ignored: 1,
          flaky: 1,
          failureRate: 0.4,
          flakinessRate: 0.2,
          // (100 + 300 + (500 + 200)) / 3
          avgDurationMs: 367,
          failureVolume: 2,
          flakinessVolume: 1,
          durationVolume: (1100 * 5) / 3,
        },
        latestTag: null,
        lastSeen: '2026-11-03T00:00:00.000Z',
      },
    ]);
  });

  test('The oracle leaves out the duration of an execution whose last attempt was interrupted', () => {
    const runs = [
      run([instance([failedTest('a', { attempts: [attempt('failed', 900), attempt('interrupted', 50)] })])]),
      run([instance([passedTest('a')])]),
    ];
    expect(testsOf(runs)[0]?.metrics).toMatchObject({ executions: 2, avgDurationMs: 100 });
  });

  test('The oracle counts an expected failure as passed, and as flaky only if an attempt passed', () => {
    const expected = { expectedStatus: 'failed', outcome: 'passed' } as const;
    const runs = [
      run([instance([passedTest('a', { ...expected, attempts: [attempt('failed', 1)] })])]),
      run([instance([passedTest('a', { ...expected, attempts: [attempt('passed', 1), attempt('failed', 1)] })])]),
    ];
    expect(testsOf(runs)[0]?.metrics).toMatchObject({ passes: 2, flaky: 1 });
  });

  test('For each metric, the oracle counts only the outcomes that the setting of the metric lists', () => {
    const runs = [run([instance([passedTest('a')])]), run([instance([failedTest('a')])])];
    const settings = { executions: ['failed'], avgDuration: ['passed'] } as const;
    expect(testsOf(runs, { settings })[0]?.metrics).toMatchObject({
      executions: 1,
      passes: 1,
      failures: 1,
      failureRate: 1,
      avgDurationMs: 100,
      durationVolume: 100,
    });
    expect(testsOf(runs, { states: ['failed'] })[0]?.metrics).toMatchObject({ executions: 1, passes: 0, failures: 1 });
  });

  test('The oracle counts neither runs that are in progress or deleted, nor tests without a final result', () => {
    const runs = [
      run([instance([passedTest('a'), passedTest('b', { done: false })])]),
      run([instance([passedTest('c')])], { ending: null }),
      run([instance([passedTest('d')])], { isDeleted: true }),
    ];
    expect(titlesOf(runs)).toEqual(['a']);
  });

  test('The oracle includes the start of a period and excludes its end', () => {
    const at = (createdAt: number, title: string) => run([instance([passedTest(title)])], { createdAt });
    const runs = [at(MIDNIGHT - 1, 'a'), at(MIDNIGHT, 'b'), at(MIDNIGHT + DAY - 1, 'c'), at(MIDNIGHT + DAY, 'd')];
    expect(titlesOf(runs)).toEqual(['c', 'b']);
  });

  test.each([
    [{ branches: ['main'] }, ['a']],
    [{ branches: ['feat/*'] }, ['b']],
    [{ branches: ['main', 'feat/*'] }, ['a', 'b']],
    [{ authors: ['ada@example.com'] }, ['a', 'c']],
    [{ authors: ['Bob'] }, ['b']],
    [{ environments: ['staging'] }, ['b']],
    [{ groups: ['ios'] }, ['c']],
    [{ tags: ['nightly'] }, ['a', 'c']],
    [{ tags: ['own', 'nightly'], tagOperator: 'AND' }, ['c']],
    [{ tags: ['own', 'grouped'] }, ['b', 'c']],
    [{ branches: [], tags: [] }, ['a', 'b', 'c']],
  ] as const)('The filter %j selects the tests %j', (filter, expected) => {
    const runs = [
      run([instance([passedTest('a')])], { tags: ['nightly'] }),
      run([instance([passedTest('b')])], {
        branch: 'feat/x',
        authorName: 'Bob',
        authorEmail: null,
        groups: [{ name: 'web', tags: ['grouped'], environment: 'staging' }],
      }),
      run([instance([passedTest('c', { tags: ['own'] })], { group: 'ios' })], {
        branch: null,
        tags: ['nightly'],
        groups: [{ name: 'ios', tags: [], environment: null }],
      }),
    ];
    expect(titlesOf(runs, { filter, dir: 'asc' })).toEqual(expected);
  });

  test('The oracle filters by parts of titles and spec files, by annotations and by a minimum number of executions', () => {
    const annotations = [{ type: 'issue', description: 'SHOP-1' }];
    const runs = [
      run([instance([passedTest('adds'), passedTest('adds')]), instance([passedTest('pays', { annotations })])]),
      run([instance([passedTest('ships')], { spec: 'ship.spec.ts' })]),
    ];
    expect(titlesOf(runs, { title: 'ADD' })).toEqual(['adds']);
    expect(titlesOf(runs, { spec: 'Ship' })).toEqual(['ships']);
    expect(titlesOf(runs, { minExecutions: 2 })).toEqual(['adds']);
    expect(titlesOf(runs, { annotations: [{ type: 'issue' }] })).toEqual(['pays']);
    expect(titlesOf(runs, { annotations: [{ type: 'issue', description: ['SHOP-1', 'x'] }] })).toEqual(['pays']);
    expect(titlesOf(runs, { annotations: [{ type: 'issue', description: 'x' }] })).toEqual([]);
  });

  test('The oracle shows the tags of the latest execution of a test', () => {
    const runs = [
      run([instance([passedTest('a', { tags: ['z', 'b', 'z'] })])], { createdAt: MIDNIGHT + 5 }),
      run([instance([passedTest('a')])]),
    ];
    expect(testsOf(runs)[0]).toMatchObject({ latestTag: ['b', 'z'], lastSeen: '2026-11-03T00:00:00.005Z' });
  });

  test('The oracle compares rates and durations with the preceding period of the same length', () => {
    const before = [run([instance([passedTest('a')])], { createdAt: MIDNIGHT - DAY })];
    const runs = [...before, run([instance([failedTest('a'), passedTest('b')])])];
    const rows = testsOf(runs, { order: 'failureRateDelta' });
    expect(rows.map(({ title, metrics }) => [title, metrics.failureRateDelta, metrics.durationDelta])).toEqual([
      ['cart > a', 1, 200],
      ['cart > b', null, null],
    ]);
    expect(testsOf(runs)[0]?.metrics).not.toHaveProperty('failureRateDelta');
  });
});
