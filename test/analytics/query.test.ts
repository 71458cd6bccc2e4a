import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ErrorsList, errorsQuery } from '#shared/analytics/metrics/errors-wire.ts';
import { Insights, insightsQuery } from '#shared/analytics/metrics/insights-wire.ts';
import { METRIC_LIMITS } from '#shared/analytics/metrics/limits.ts';
import { type OffsetPage, paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { type RangeQuery, toAnalyticsFilter, toPeriod } from '#shared/analytics/metrics/range-wire.ts';
import { SpecFilesList, specFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import { TestsList, testsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import { type QuerySchema, readQuery } from '#shared/engine/http/query.ts';
import { validatePart } from '#shared/platform/request.ts';
import { cases } from '#test/harness/cases.ts';

const QUERIES = {
  tests: z.object(testsQuery),
  'spec-files': z.object(specFilesQuery),
  errors: z.object(errorsQuery),
  insights: z.object(insightsQuery),
};
type Name = keyof typeof QUERIES;
const NAMES: readonly Name[] = ['tests', 'spec-files', 'errors', 'insights'];

const RANGE = 'date_start=2026-11-01&date_end=2026-11-30';

/** Parses a query string as an endpoint does. */
function read<Schema extends QuerySchema>(schema: Schema, text: string): z.output<Schema> {
  const sent: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) sent[name] = [...(sent[name] ?? []), value];
  return validatePart(schema, readQuery(schema, sent).values);
}

/** Parses the parameters that all analytics queries have. */
const rangeOf = (name: Name, text: string): RangeQuery => read<(typeof QUERIES)[Name]>(QUERIES[name], text);

describe('An analytics query', () => {
  test.each(NAMES)('A query for %s accepts date-times, and reads a date as midnight UTC', (name) => {
    const { from, to } = toPeriod(rangeOf(name, 'date_start=2026-11-01T02:00:00%2B02:00&date_end=2026-11-02'));
    expect([from, to]).toEqual([Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)]);
  });

  test.each(NAMES)(
    'A query for %s accepts a list with or without brackets in its name, and as the single value that `@currents/mcp` sends',
    (name) => {
      const spellings = ['tags[]=a&tags[]=b', 'tags=a&tags=b', `tags=${encodeURIComponent('a&tags[]=b')}`];
      for (const spelling of spellings) {
        const query = rangeOf(name, `${RANGE}&${spelling}&branches[]=feat/*`);
        expect(toAnalyticsFilter(query)).toEqual({
          tags: ['a', 'b'],
          tagOperator: 'OR',
          branches: ['feat/*'],
          groups: [],
          authors: [],
          environments: [],
        });
      }
    },
  );

  test.each([
    ['tests', 'date_end=2026-11-30', '`date_start` is required'],
    ['tests', `${RANGE}&order=fastest`, '`order` must be one of title, failures, passes'],
    ['spec-files', `${RANGE}&order=title`, '`order` must be one of avgDuration, failedExecutions'],
    ['errors', `${RANGE}&order_by=tags`, '`order_by` must be one of count, tests, branches, error'],
    ['errors', `${RANGE}&group_by[]=branch`, '`group_by[0]` must be one of message, target, action, category'],
    ['errors', `${RANGE}&metric=run`, '`metric` must be one of occurrence, test, branch'],
    ['errors', `${RANGE}&top_n=51`, '`top_n` must be at most 50'],
    ['insights', `${RANGE}&resolution=1m`, '`resolution` must be one of 1h, 1d, 1w'],
    ['tests', `${RANGE}&dir=up`, '`dir` must be one of asc, desc'],
    ['tests', `${RANGE}&limit=51`, '`limit` must be at most 50'],
    ['errors', `${RANGE}&limit=101`, '`limit` must be at most 100'],
    ['spec-files', `${RANGE}&page=-1`, '`page` must be at least 0'],
    ['tests', `${RANGE}&test_state[]=broken`, '`test_state[0]` must be one of passed, failed, pending, skipped'],
    ['tests', `${RANGE}&metric_settings={"failureRate":["broken"]}`, '`metric_settings` must be a JSON object'],
    ['tests', `${RANGE}&metric_settings={"failures":["failed"]}`, 'Names: executions, avgDuration, flakinessRate'],
    ['tests', `${RANGE}&metric_settings=[`, '`metric_settings` must be a JSON object'],
    ['tests', `${RANGE}&annotations={}`, '`annotations` must be a JSON array'],
    ['tests', `${RANGE}&environments[]=staging`, 'Unknown parameter `environments[]`'],
  ] as const)('A query for %s with %s is refused, and the error says why', (name, text, message) => {
    expect(() => read(QUERIES[name], text)).toThrow(message);
  });

  test('is refused if its period ends before it starts, or is longer than the maximum', () => {
    const period = (start: string, end: string, limit?: Parameters<typeof toPeriod>[1]) =>
      toPeriod(read(QUERIES.insights, `date_start=${start}&date_end=${end}`), limit);
    expect(() => period('2026-11-02', '2026-11-01')).toThrow('`date_start` is after `date_end`');
    expect(() => period('2025-01-01', '2026-02-06')).toThrow('is longer than 400 days');
    expect(period('2025-01-01', '2026-02-05').to).toBe(Date.UTC(2026, 1, 5));
    expect(() => period('2026-01-01', '2026-02-02', { days: 31, unless: ', or ask for `1d`' })).toThrow(
      'is longer than 31 days. Shorten it, or ask for `1d`',
    );
  });

  test('accepts `test` instead of `title`, because the published client sends `test`', () => {
    expect(read(QUERIES.tests, `${RANGE}&test=sums`)).toMatchObject({ title: 'sums', order: 'title', dir: 'desc' });
  });
});

describe('An offset page', () => {
  test('Following `nextPage` shows each row exactly once, and `total` is the number of all rows', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 12 }), (size, limit) => {
        const rows = Array.from({ length: size }, (_, index) => index);
        const seen: number[] = [];
        for (let page: number | false = 0; page !== false; ) {
          const answer: OffsetPage<number> = paginateByOffset(rows, { limit, page });
          expect(answer.total).toBe(size);
          seen.push(...answer.list);
          page = answer.nextPage;
        }
        expect(seen).toEqual(rows);
      }),
      { numRuns: cases(100) },
    );
  });

  test('An offset page after the last one is empty and has no next page', () => {
    expect(paginateByOffset([1], { limit: 50, page: METRIC_LIMITS.lastPage })).toEqual({
      list: [],
      total: 1,
      nextPage: false,
    });
  });

  test.each([
    ['tests', TestsList.extend({}), { count: 0 }],
    ['spec files', SpecFilesList.extend({}), {}],
    ['errors', ErrorsList.extend({}), { timeline: {} }],
  ])('An empty page of %s has exactly the properties that its response schema declares', (_, schema, more) => {
    const empty = { ...paginateByOffset([], { limit: 1, page: 0 }), ...more };
    expect(schema.parse(empty)).toEqual(empty);
    expect(Insights.safeParse(empty).success).toBe(false);
  });
});
