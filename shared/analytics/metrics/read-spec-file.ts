/** One spec file in a period: its metrics, and one page of its tests with their metrics and trends. */
import { notFound } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';
import { readSpecs } from '../read-specs.ts';
import { listSpecFiles } from './list-spec-files.ts';
import { offsetPage } from './offset-page.ts';
import { filterOf, periodOf, type RangeQuery } from './range-wire.ts';
import { readTestsInTime } from './read-tests.ts';
import type { SpecFileRow } from './spec-files-wire.ts';
import { DEFAULT_OPTIONS, type TestOrder, type TestSummary } from './tests-wire.ts';
import type { Trends } from './trends.ts';

interface Asked extends AnalyticsScope {
  /** The signature of the spec file. */
  readonly signature: string;
  readonly query: RangeQuery & {
    readonly order: TestOrder;
    readonly dir: 'asc' | 'desc';
    readonly page: number;
    readonly limit: number;
  };
}

export interface SpecFileInTime {
  readonly file: SpecFileRow;
  readonly tests: { readonly list: readonly TestSummary[]; readonly total: number; readonly nextPage: number | false };
  readonly trends: Trends;
}

const FILES = { includeFailedInDuration: false, specNameFilter: undefined, order: 'suiteSize', dir: 'desc' } as const;

/**
 * Reads a spec file with one page of its tests. Throws 404 if no ended run that the query selects executed the spec
 * file.
 */
export async function readSpecFile(
  services: WithTable,
  { signature, query, ...scope }: Asked,
): Promise<SpecFileInTime> {
  const asked = { ...scope, query: { ...DEFAULT_OPTIONS, ...query, format: 'json' as const } };
  const [specs, { rows, trendsOf }] = await Promise.all([
    readSpecs(services, scope, periodOf(query), filterOf(query)),
    readTestsInTime(services, asked),
  ]);
  const file = listSpecFiles(scope, specs, FILES).find((one) => one.signature === signature);
  if (!file) throw notFound('Spec file');
  const own = rows.filter(({ spec }) => spec === file.spec);
  const tests = offsetPage(own, query);
  return { file, tests, trends: trendsOf(tests.list) };
}
