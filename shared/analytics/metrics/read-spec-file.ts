/** One spec file in a period: its metrics, and one page of its tests with their metrics and trends. */
import { notFound } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { AnalyticsRequest } from '../read-model.ts';
import { readSpecs } from '../read-specs.ts';
import { listSpecFiles } from './list-spec-files.ts';
import { type OffsetPage, paginateByOffset } from './offset-page.ts';
import { type RangeQuery, toAnalyticsFilter, toPeriod } from './range-wire.ts';
import { readTestsInTime } from './read-tests.ts';
import type { SpecFileRow } from './spec-files-wire.ts';
import { DEFAULT_OPTIONS, type TestSummary, type TestsQuery } from './tests-wire.ts';
import { sumTrends, type TrendPart, type Trends } from './trends.ts';

interface SpecFileRequest extends AnalyticsRequest<RangeQuery & Pick<TestsQuery, 'order' | 'dir' | 'page' | 'limit'>> {
  readonly signature: string;
}

export interface SpecFileInTime {
  readonly file: SpecFileRow;
  readonly tests: OffsetPage<TestSummary>;
  readonly trends: Trends;
  /** All tests of the file together. */
  readonly trend: readonly TrendPart[];
}

const FILES = { includeFailedInDuration: false, specNameFilter: undefined, order: 'suiteSize', dir: 'desc' } as const;

/** Throws 404 if no ended run that the query selects executed the spec file. */
export async function readSpecFile(
  services: WithTable,
  { signature, query, ...scope }: SpecFileRequest,
): Promise<SpecFileInTime> {
  const request = { ...scope, query: { ...DEFAULT_OPTIONS, ...query, format: 'json' as const } };
  const [specs, { rows, trendsOf }] = await Promise.all([
    readSpecs(services, scope, toPeriod(query), toAnalyticsFilter(query)),
    readTestsInTime(services, request),
  ]);
  const file = listSpecFiles(scope, specs, FILES).find((one) => one.signature === signature);
  if (!file) throw notFound('Spec file');
  const allTests = rows.filter(({ spec }) => spec === file.spec);
  const tests = paginateByOffset(allTests, query);
  return { file, tests, trends: trendsOf(tests.list), trend: sumTrends(trendsOf(allTests)) };
}
