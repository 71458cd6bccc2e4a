/** Asks DuckDB and the API the same questions. DuckDB answers from exported files. */
import { expect } from 'vitest';
import * as z from 'zod';
import { duckdb } from '#test/harness/duckdb.ts';
import type { Ask, Parameters } from '../oracle/asked.ts';
import { periodParameters } from '../oracle/questions.ts';

const PAGE = 50;

const Page = z.object({
  list: z.array(z.record(z.string(), z.unknown())),
  nextPage: z.union([z.number(), z.literal(false)]),
});

/** Reads all pages of a list from the API. */
async function listed(ask: Ask, about: 'tests' | 'errors', parameters: Parameters) {
  const all: Readonly<Record<string, unknown>>[] = [];
  for (let page = 0; ; page += 1) {
    const paging = [
      ['limit', String(PAGE)],
      ['page', String(page)],
    ] as const;
    const { list, nextPage } = Page.parse(await ask(about, [...parameters, ...paging]));
    all.push(...list);
    if (nextPage === false) return all;
  }
}

const TESTS = `
  select signature, any_value(title) as title, any_value(spec_file) as spec,
    count(*)::int as executions,
    count(*) filter (where outcome = 'passed')::int as passes,
    count(*) filter (where outcome in ('failed', 'skipped'))::int as failures,
    count(*) filter (where outcome = 'pending')::int as ignored,
    count(*) filter (where flaky)::int as flaky,
    count(*) filter (where outcome in ('failed', 'skipped')) / count(*) as failureRate,
    count(*) filter (where flaky) / count(*) as flakinessRate,
    floor(coalesce(avg(duration_ms) filter (where outcome in ('passed', 'failed')), 0) + 0.5)::int as avgDurationMs,
    strftime(max(run_created_at), '%Y-%m-%dT%H:%M:%S.%gZ') as lastSeen
  from EXECUTIONS group by signature order by signature`;

const ERRORS = `
  select error_category as category, error_action as action, error_target as target,
    count(*)::int as count, count(distinct signature)::int as tests,
    (count(distinct branch) + max((branch is null)::int))::int as branches
  from EXECUTIONS where error_signature is not null
  group by all`;

const COUNTS = `
  select count(*)::int as total,
    count(*) filter (where outcome = 'passed')::int as passed,
    count(*) filter (where outcome = 'failed')::int as failed,
    count(*) filter (where outcome = 'pending')::int as pending,
    count(*) filter (where outcome = 'skipped')::int as skipped,
    count(*) filter (where flaky)::int as flaky
  from EXECUTIONS`;

interface Compared {
  readonly ask: Ask;
  readonly executions: string;
  readonly period: { readonly from: number; readonly to: number };
}

const COUNTERS = ['total', 'passed', 'failed', 'pending', 'skipped', 'flaky'];
const Insights = z.object({
  results: z.object({ overall: z.object({ tests: z.record(z.string(), z.number()) }) }),
});

/** Expects the same tests, errors and counters from DuckDB and from the API. */
export async function compare({ ask, executions, period }: Compared): Promise<void> {
  const query = async (sql: string) => sorted(await duckdb(sql.replace('EXECUTIONS', executions)));
  const range = periodParameters(period);
  const tests = await listed(ask, 'tests', range);
  const own = await query(TESTS);
  const [names = []] = own.map((row) => Object.keys(row));
  const flat = tests.map((row) => ({ ...row, ...z.object({}).loose().parse(row['metrics']) }));
  expect(own).toEqual(sorted(flat.map((row) => withOnly(row, names))));
  const keys = ['category', 'action', 'target'].map((key) => ['group_by[]', key] as const);
  const errors = await listed(ask, 'errors', [...range, ...keys]);
  expect(await query(ERRORS)).toEqual(sorted(errors.map((row) => withOnly(row, ERROR_COLUMNS))));
  const { results } = Insights.parse(await ask('insights', range));
  expect(await query(COUNTS)).toEqual([withOnly(results.overall.tests, COUNTERS)]);
}

const ERROR_COLUMNS = ['category', 'action', 'target', 'count', 'tests', 'branches'];

const withOnly = (row: object, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(row, name)]));

const sorted = <Row>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
