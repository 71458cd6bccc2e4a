import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDeltaOrder, listTests } from '#shared/analytics/metrics/list-tests.ts';
import { TestOrder } from '#shared/analytics/metrics/tests-wire.ts';
import type { SeriesTotals } from '#shared/analytics/read-model.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import { cases } from '#test/harness/cases.ts';
import { series, testsOptions, totals } from './rows.ts';

describe('The order of tests', () => {
  const FAILED = totals({ executions: { failed: 1 }, milliseconds: { failed: 50 }, timed: { failed: 1 } });
  const FLAKY = totals({
    executions: { passed: 4 },
    flaky: { passed: 2 },
    milliseconds: { passed: 40 },
    timed: { passed: 4 },
  });
  const ALL = [series('b', { totals: FAILED }), series('a'), series('c', { totals: FLAKY })];
  const titles = (order: TestOrder, dir: 'asc' | 'desc', all = ALL, before = needed(order)) =>
    listTests(all, before, testsOptions({ order, dir })).map(({ title }) => title);
  const needed = (order: TestOrder): SeriesTotals[] | undefined => (isDeltaOrder(order) ? [] : undefined);

  test.each([
    ['title', 'cba', 'abc'],
    ['failures', 'bac', 'acb'],
    ['passes', 'cab', 'bac'],
    ['flakiness', 'cab', 'abc'],
    ['executions', 'cab', 'abc'],
    ['duration', 'bca', 'acb'],
    ['flakinessXSamples', 'cab', 'abc'],
    ['failRateXSamples', 'bac', 'acb'],
    ['durationXSamples', 'bca', 'acb'],
  ] as const)(
    'Tests are sorted by %s, and equal rows are sorted by ascending title in both directions',
    (order, desc, asc) => {
      expect([titles(order, 'desc').join(''), titles(order, 'asc').join('')]).toEqual([desc, asc]);
    },
  );

  test('Sorting by a change uses the change since the preceding period, and tests that the preceding period does not contain come last', () => {
    const before = [
      series('b', {
        totals: totals({ executions: { passed: 1, failed: 1 }, milliseconds: { failed: 80 }, timed: { failed: 1 } }),
      }),
      series('c', { totals: totals({ executions: { failed: 4 } }) }),
      series('gone'),
    ];
    expect(titles('failureRateDelta', 'desc', ALL, before)).toEqual(['b', 'c', 'a']);
    expect(titles('failureRateDelta', 'asc', ALL, before)).toEqual(['c', 'b', 'a']);
    const rows = listTests(ALL, before, testsOptions({ order: 'durationDelta', dir: 'asc' }));
    expect(rows.map(({ title, metrics }) => [title, metrics.failureRateDelta, metrics.durationDelta])).toEqual([
      ['b', 0.5, -30],
      ['c', -1, 10],
      ['a', null, null],
    ]);
  });

  test('Titles are compared by code points, not by UTF-16 units', () => {
    const mathematical = '\u{1d400}';
    const fullWidth = '\uff21';
    expect(titles('title', 'asc', [series(mathematical), series(fullWidth)])).toEqual([fullWidth, mathematical]);
  });

  test('Tests with equal titles are sorted by signature', () => {
    const rows = listTests(
      [series('same', { signature: 'b' }), series('same', { signature: 'a' })],
      undefined,
      testsOptions(),
    );
    expect(rows.map(({ signature }) => signature)).toEqual(['a', 'b']);
  });

  const numbers = fc.record(Object.fromEntries(RecordedTestOutcome.options.map((name) => [name, fc.nat(5)])));
  const anySeries = fc
    .record({
      title: fc.constantFrom('a', 'b', 'c', 'd'),
      executions: numbers,
      tag: fc.constantFrom('x', 'y'),
      seen: fc.nat(3),
    })
    .map(({ title, executions, tag, seen }) =>
      series(title, { totals: totals({ executions }), tags: [tag], lastSeen: seen }),
    );

  test('does not depend on the order of the input, and each test has all its executions', () => {
    fc.assert(
      fc.property(
        fc
          .array(anySeries, { maxLength: 12 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        fc.constantFrom(...TestOrder.options),
        fc.constantFrom('asc' as const, 'desc' as const),
        ([all, shuffled], order, dir) => {
          const options = testsOptions({ order, dir });
          const rows = listTests(all, needed(order), options);
          expect(listTests(shuffled, needed(order), options)).toEqual(rows);
          for (const { title, metrics } of rows) {
            const own = all.filter((one) => one.title[0] === title).map((one) => one.totals.executions);
            const sum = own.reduce(
              (so, { passed, failed, pending, skipped }) => so + passed + failed + pending + skipped,
              0,
            );
            expect(metrics.executions).toBe(sum);
            expect(metrics.passes + metrics.failures + metrics.ignored).toBe(sum);
          }
        },
      ),
      { numRuns: cases(100) },
    );
  });
});
