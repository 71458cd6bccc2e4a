import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { errorsQuery } from '#shared/analytics/metrics/errors-wire.ts';
import { type ErrorsOptions, listErrors } from '#shared/analytics/metrics/list-errors.ts';
import { cases } from '#test/harness/cases.ts';
import { occurrence } from './rows.ts';

const { date_start, date_end, tags, branches, groups, authors, ...own } = errorsQuery;
const Options = z.object(own);
const options = (sent: z.input<typeof Options> = {}): ErrorsOptions => Options.parse(sent);

const noonOf = (day: number) => Date.UTC(2026, 10, day, 12);
/** Three days. The first and the last of them are only partly included. */
const PERIOD = { from: Date.UTC(2026, 10, 2, 6), to: Date.UTC(2026, 10, 4, 6) };

const TIMEOUT = { target: 'getByRole("button")', action: 'click', category: 'Action' };
const PLACE = { spec: 'cart.spec.ts', title: ['sums'] };
const ALL = [
  occurrence('Timeout', { ...TIMEOUT, signature: 'a', branch: 'main', createdAt: noonOf(2), runId: 'first' }),
  occurrence('Timeout', { ...TIMEOUT, signature: 'b', branch: null, createdAt: noonOf(3), runId: 'second' }),
  occurrence('Timeout', { ...TIMEOUT, signature: 'b', branch: null, createdAt: noonOf(3), runId: 'second' }),
  occurrence('Not equal', {
    category: 'Assertion',
    action: 'toBe',
    signature: 'a',
    branch: 'main',
    createdAt: noonOf(3),
  }),
  occurrence('Unknown', { signature: 'c', branch: 'main', createdAt: noonOf(2) }),
];

const list = (sent: Parameters<typeof options>[0] = {}) => listErrors(ALL, PERIOD, options(sent));

describe('The rows of errors', () => {
  test('Rows of errors count executions and distinct tests, branches and runs, where a missing branch counts as a branch, and name the latest execution, runs and tests', () => {
    expect(list().rows).toEqual([
      {
        message: 'Timeout',
        ...TIMEOUT,
        count: 3,
        tests: 2,
        branches: 2,
        runs: 2,
        firstSeen: '2026-11-02T12:00:00.000Z',
        lastSeen: '2026-11-03T12:00:00.000Z',
        latest: { runId: 'second', signature: 'b', ...PLACE },
        latestRuns: ['second', 'first'],
        topTests: [
          { signature: 'b', ...PLACE, count: 2 },
          { signature: 'a', ...PLACE, count: 1 },
        ],
      },
      expect.objectContaining({ message: 'Not equal', target: null, action: 'toBe', category: 'Assertion', count: 1 }),
      expect.objectContaining({ message: 'Unknown', target: null, action: null, category: null, count: 1 }),
    ]);
  });

  test('Rows of errors contain only those error properties that `group_by[]` lists, and leave out errors without the first listed property', () => {
    const rows = list({ group_by: ['action', 'target'] }).rows;
    expect(rows.map(({ action, target, count }) => [action, target, count])).toEqual([
      ['click', 'getByRole("button")', 3],
      ['toBe', null, 1],
    ]);
    expect(Object.keys(rows[0] ?? {})).toEqual([
      'action',
      'target',
      'count',
      'tests',
      'branches',
      'runs',
      'firstSeen',
      'lastSeen',
      'latest',
      'latestRuns',
      'topTests',
    ]);
  });

  test.each([
    ['a part of the target in any case', { error_target: 'BUTTON' }, ['Timeout']],
    ['a part of the message in any case', { error_message: 'un' }, ['Unknown']],
    [
      'a cause with its values',
      { error_message: 'click on getByRole("button"): received 1 instead of 2' },
      ['Timeout'],
    ],
    ['a part of the action in any case', { error_action: 'TOB' }, ['Not equal']],
    ['the whole category in any case', { error_category: 'ASSERTION' }, ['Not equal']],
    ['the whole category, not by a part of the category', { error_category: 'Assert' }, []],
    ['several properties, which must all match', { error_target: 'button', error_action: 'toBe' }, []],
  ])('The list of errors is filtered by %s', (_, sent, messages) => {
    expect(list(sent).rows.map(({ message }) => message)).toEqual(messages);
  });

  test.each([
    ['count', 'desc', ['Timeout', 'Not equal', 'Unknown']],
    ['tests', 'asc', ['Not equal', 'Unknown', 'Timeout']],
    ['branches', 'desc', ['Timeout', 'Not equal', 'Unknown']],
    ['error', 'desc', ['Unknown', 'Timeout', 'Not equal']],
    ['error', 'asc', ['Not equal', 'Timeout', 'Unknown']],
  ] as const)(
    'Rows of errors are sorted by %s %s, and rows with equal values by their properties',
    (order_by, dir, messages) => {
      expect(list({ order_by, dir }).rows.map(({ message }) => message)).toEqual(messages);
    },
  );
});

describe('The timeline of errors', () => {
  const days = [2, 3, 4].map((day) => String(Date.UTC(2026, 10, day)));

  test('contains each day of the range, including partial days, with the same top rows on each day', () => {
    const { timeline } = list({ top_n: 1, group_by: ['message'] });
    const row = (value: number) => [{ message: 'Timeout', value }];
    expect(timeline).toEqual({ [days[0] ?? '']: row(1), [days[1] ?? '']: row(2), [days[2] ?? '']: row(0) });
  });

  test.each([
    ['test', [1, 1, 0]],
    ['branch', [1, 1, 0]],
    ['occurrence', [1, 2, 0]],
  ] as const)('shows the metric %s for each day', (metric, values) => {
    const { timeline } = list({ metric, top_n: 1 });
    expect(days.map((day) => timeline[day]?.[0]?.value)).toEqual(values);
  });

  test('The counts of all rows and the values of the timeline of errors both add up to the number of errors that have the first property in `group_by[]`', () => {
    const any = fc.record({
      message: fc.constantFrom('a', 'b'),
      target: fc.constantFrom(null, 'x', 'y'),
      createdAt: fc.integer({ min: PERIOD.from, max: PERIOD.to - 1 }),
    });
    fc.assert(
      fc.property(
        fc.array(any),
        fc.constantFrom(['message'] as const, ['target'] as const, ['target', 'message'] as const),
        (some, group_by) => {
          const all = some.map(({ message, ...more }) => occurrence(message, more));
          const { rows, timeline } = listErrors(all, PERIOD, options({ group_by: [...group_by], top_n: 50 }));
          const kept = group_by[0] === 'target' ? all.filter(({ target }) => target !== null) : all;
          const sum = (numbers: readonly number[]) => numbers.reduce((so, one) => so + one, 0);
          expect(sum(rows.map(({ count }) => count))).toBe(kept.length);
          expect(sum(Object.values(timeline).flatMap((day) => day.map(({ value }) => value)))).toBe(kept.length);
        },
      ),
      { numRuns: cases(100) },
    );
  });
});
