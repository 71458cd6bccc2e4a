import { describe, expect, test } from 'vitest';
import { listFailuresByFile } from '#shared/analytics/metrics/failures-by-file.ts';
import { computeInsights } from '#shared/analytics/metrics/insights.ts';
import { listReleases } from '#shared/analytics/metrics/releases.ts';
import { computePercentile, groupDurations } from '#shared/analytics/metrics/run-durations.ts';
import { countTests } from '#shared/model/results/outcomes.ts';
import { runGroup } from './rows.ts';

const hour = (day: number, hours = 0) => Date.UTC(2026, 10, day, hours);
const tests = (outcome: 'passed' | 'failed' | 'pending' | 'skipped', times: number, flaky = false) =>
  Array.from({ length: times }, () => ({ outcome, flaky, retries: 0 }));

const ALL = [
  runGroup('one', {
    createdAt: hour(2, 10),
    endedAt: hour(2, 10) + 2000,
    status: 'FAILED',
    counters: countTests([...tests('passed', 3, true), ...tests('failed', 2)]),
  }),
  runGroup('one', {
    groupId: 'wholesale',
    createdAt: hour(2, 10),
    endedAt: hour(2, 10) + 2000,
    status: 'FAILED',
    counters: countTests([...tests('pending', 1), ...tests('skipped', 1)]),
  }),
  runGroup('two', { createdAt: hour(3, 1), endedAt: hour(3, 1) + 1001, counters: countTests(tests('passed', 1)) }),
  runGroup('three', { createdAt: hour(3, 2), endedAt: hour(3, 9), completionState: 'CANCELED', status: 'RUNNING' }),
  runGroup('four', { createdAt: hour(3, 3), endedAt: hour(3, 9), completionState: 'TIMEOUT', status: 'FAILING' }),
];
const OPEN = [{ createdAt: hour(3, 4) }];
const PERIOD = { from: hour(2, 6), to: hour(4) };

describe('Insights', () => {
  test('count each run once and tests by outcome, and average the duration of complete runs only', () => {
    expect(computeInsights(ALL, OPEN, { period: PERIOD, resolution: '1d' }).overall).toEqual({
      runs: { total: 5, completed: 2, cancelled: 1, timeouts: 1, failed: 2, passed: 1, avgDurationSeconds: 1.5005 },
      tests: { total: 8, failed: 2, passed: 4, pending: 1, skipped: 1, flaky: 3 },
      incomplete: 0,
    });
  });

  test('count a cancelled run as neither passed nor failed, and a timed-out run as not passed', () => {
    const ended = (completionState: 'CANCELED' | 'TIMEOUT') =>
      (['PASSED', 'FAILED', 'FAILING'] as const).map((status) =>
        runGroup(`${completionState} ${status}`, { createdAt: hour(2, 8), completionState, status }),
      );
    const countsOf = (runs: Parameters<typeof computeInsights>[0]) =>
      computeInsights(runs, [], { period: PERIOD, resolution: '1d' }).overall.runs;
    expect(countsOf(ended('CANCELED'))).toMatchObject({ total: 3, cancelled: 3, passed: 0, failed: 0 });
    expect(countsOf(ended('TIMEOUT'))).toMatchObject({ total: 3, timeouts: 3, passed: 0, failed: 2 });
  });

  test('are zero for a project without runs', () => {
    const { overall, timeline } = computeInsights([], [], { period: PERIOD, resolution: '1w' });
    expect(Object.values({ ...overall.runs, ...overall.tests }).every((value) => value === 0)).toBe(true);
    expect(Object.keys(timeline)).toEqual([String(hour(2))]);
  });

  test('contain all buckets that the range touches, and count each run in the bucket of its creation', () => {
    const { timeline } = computeInsights(ALL, OPEN, { period: PERIOD, resolution: '1d' });
    expect(Object.keys(timeline)).toEqual([String(hour(2)), String(hour(3))]);
    expect(timeline[hour(2)]).toMatchObject({ runs: { total: 1, failed: 1 }, tests: { total: 7 } });
    expect(timeline[hour(3)]).toMatchObject({ runs: { total: 4, passed: 1, failed: 1 }, tests: { total: 1 } });
  });

  test.each([
    ['1h', hour(2, 6), 42],
    ['1d', hour(2), 2],
    // Weeks start on Monday, and 2 November 2026 is a Monday.
    ['1w', hour(2), 1],
  ] as const)(
    'Insights with the resolution %s begin with the bucket that contains the start of the range',
    (resolution, first, buckets) => {
      const starts = Object.keys(computeInsights([], [], { period: PERIOD, resolution }).timeline).map(Number);
      expect([starts[0], starts.length]).toEqual([first, buckets]);
    },
  );

  test('Weekly insights begin on a Monday, even if that is before the range', () => {
    const period = { from: hour(8, 23), to: hour(9) + 1 };
    expect(Object.keys(computeInsights([], [], { period, resolution: '1w' }).timeline)).toEqual([
      String(hour(2)),
      String(hour(9)),
    ]);
  });

  test('Insights for an empty range have no buckets', () => {
    expect(computeInsights([], [], { period: { from: hour(2), to: hour(2) }, resolution: '1h' }).timeline).toEqual({});
  });
});

describe('The charts of insights', () => {
  test('count the duration of each complete run once, in the bucket of its creation', () => {
    const buckets = groupDurations(ALL, { period: PERIOD, resolution: '1d' });
    expect(buckets).toEqual([
      { at: hour(2), durations: [2000] },
      { at: hour(3), durations: [1001] },
    ]);
  });

  test.each([
    [[], undefined, undefined],
    [[7], 7, 7],
    [[9, 1], 1, 9],
    [Array.from({ length: 100 }, (_, index) => 100 - index), 50, 95],
  ])('have of the durations %j the median %s and the 95th percentile %s', (values, median, slow) => {
    expect([computePercentile(values, 0.5), computePercentile(values, 0.95)]).toEqual([median, slow]);
  });

  test('mark each release at its first run, and ignore other tags', () => {
    const tagged = (name: string, at: number, tags: string[]) => runGroup(name, { createdAt: at, tags });
    const groups = [
      tagged('later', hour(3), ['release:2.4.0', 'nightly']),
      tagged('first', hour(2), ['release:2.4.0']),
      tagged('next', hour(4), ['release:2.4.1', 'release:']),
    ];
    expect(listReleases(groups)).toEqual([
      { version: '2.4.0', at: hour(2) },
      { version: '2.4.1', at: hour(4) },
    ]);
  });

  test('name the spec files with the most failures, with a number for each day of the period', () => {
    const scope = { organizationId: 'o', projectId: 'p' };
    const failures = [
      ['b', 2],
      ['a', 3],
      ['b', 3],
      ['c', 2],
    ] as const;
    const occurrences = failures.map(([specFile, day]) => ({ specFile, createdAt: hour(day, 12) }));
    const files = listFailuresByFile(scope, occurrences, { period: PERIOD, most: 2 });
    expect(files.map(({ specFile, count, days }) => [specFile, count, days.map(({ value }) => value)])).toEqual([
      ['b', 2, [1, 1]],
      ['a', 1, [0, 1]],
    ]);
  });
});
