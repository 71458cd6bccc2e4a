import { describe, expect, test } from 'vitest';
import { listSpecFiles, type SpecFilesOptions } from '#shared/analytics/metrics/list-spec-files.ts';
import { SpecOrder } from '#shared/analytics/metrics/spec-files-wire.ts';
import { deriveSpecSignature } from '#shared/model/ids.ts';
import { specTotals } from './rows.ts';

const SCOPE = { organizationId: 'org', projectId: 'shop' };
const options = (some: Partial<SpecFilesOptions> = {}): SpecFilesOptions => ({
  includeFailedInDuration: false,
  specNameFilter: undefined,
  order: 'avgDuration',
  dir: 'desc',
  ...some,
});

const CART = specTotals('cart.spec.ts', {
  executions: 8,
  failed: 2,
  flaky: 1,
  fullyReported: 6,
  timedOut: 2,
  suiteSize: 12,
  milliseconds: 9000,
  timed: 6,
  millisecondsWithoutFailed: 2002,
  timedWithoutFailed: 4,
});

describe('The metrics of a spec file', () => {
  test('The rates of a spec file are relative to all executions, and its duration excludes failed executions', () => {
    expect(listSpecFiles(SCOPE, [CART], options())).toEqual([
      {
        signature: deriveSpecSignature({ ...SCOPE, spec: 'cart.spec.ts' }),
        spec: 'cart.spec.ts',
        metrics: {
          overallExecutions: 8,
          avgDuration: 501,
          failedExecutions: 2,
          flakyExecutions: 1,
          timeoutExecutions: 2,
          suiteSize: 12,
          fullyReported: 6,
          failureRate: 0.25,
          timeoutRate: 0.25,
          flakeRate: 0.125,
        },
      },
    ]);
  });

  test('With `includeFailedInDuration`, the duration of a spec file includes failed executions', () => {
    const [row] = listSpecFiles(SCOPE, [CART], options({ includeFailedInDuration: true }));
    expect(row?.metrics.avgDuration).toBe(1500);
  });

  test('The average duration and the rates of a spec file are zero if nothing was executed or timed', () => {
    const [row] = listSpecFiles(SCOPE, [specTotals('new.spec.ts', { executions: 0, fullyReported: 0 })], options());
    expect(row?.metrics).toMatchObject({ avgDuration: 0, failureRate: 0, timeoutRate: 0, flakeRate: 0 });
  });
});

describe('A list of spec files', () => {
  test('contains those whose path includes the search text, case-insensitively', () => {
    const all = [CART, specTotals('search/find.spec.ts')];
    expect(listSpecFiles(SCOPE, all, options({ specNameFilter: 'SEARCH/' })).map(({ spec }) => spec)).toEqual([
      'search/find.spec.ts',
    ]);
  });

  test.each(SpecOrder.options)('is sorted by %s in both directions, and equal rows are sorted by path', (order) => {
    const all = [specTotals('b.spec.ts'), CART, specTotals('a.spec.ts')];
    const paths = (dir: 'asc' | 'desc') => listSpecFiles(SCOPE, all, options({ order, dir })).map(({ spec }) => spec);
    const equal = ['a.spec.ts', 'b.spec.ts'];
    expect([paths('desc'), paths('asc')]).toEqual([
      ['cart.spec.ts', ...equal],
      [...equal, 'cart.spec.ts'],
    ]);
  });
});
