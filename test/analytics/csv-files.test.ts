import { expect, test } from 'vitest';
import { buildTestsFile } from '#shared/analytics/metrics/csv-files.ts';
import { METRIC_LIMITS } from '#shared/analytics/metrics/limits.ts';
import { listTests } from '#shared/analytics/metrics/list-tests.ts';
import { series, testsOptions } from './rows.ts';

const { csvRows } = METRIC_LIMITS;
const fileOf = (tests: number) => {
  const all = Array.from({ length: tests }, (_, index) => series(`test ${index}`, { tags: ['b', 'a'] }));
  return buildTestsFile(listTests(all, undefined, testsOptions()));
};
const linesOf = ({ body }: ReturnType<typeof buildTestsFile>) => String(body).trimEnd().split('\r\n');

test('A CSV file with more rows than the limit is cut to the limit, and its name and a header contain the total number of rows', () => {
  const cut = fileOf(csvRows + 1);
  expect(linesOf(cut)).toHaveLength(1 + csvRows);
  expect(cut.headers).toEqual({
    'Content-Disposition': `attachment; filename="tests-first-${csvRows}-of-${csvRows + 1}.csv"`,
    'x-total-count': String(csvRows + 1),
  });
});

test('A CSV file with as many rows as the limit allows contains all of them', () => {
  const whole = fileOf(csvRows);
  expect(linesOf(whole)).toHaveLength(1 + csvRows);
  expect(whole.headers['Content-Disposition']).toBe('attachment; filename="tests.csv"');
});

test('A CSV file without rows contains only the column names', () => {
  expect(linesOf(fileOf(0))).toEqual([
    [
      'title',
      'spec',
      'signature',
      'executions',
      'passes',
      'failures',
      'ignored',
      'flaky',
      'failureRate',
      'flakinessRate',
      'avgDurationMs',
      'failureVolume',
      'flakinessVolume',
      'durationVolume',
      'failureRateDelta',
      'flakinessRateDelta',
      'durationDelta',
      'latestTag',
      'lastSeen',
    ].join(','),
  ]);
});
