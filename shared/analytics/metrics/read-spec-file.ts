/** One spec file in a period: its metrics, and one page of its tests with their metrics and trends. */
import { notFound } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Asked } from '../read-model.ts';
import { readSpecs } from '../read-specs.ts';
import { listSpecFiles } from './list-spec-files.ts';
import { type OffsetPage, offsetPage } from './offset-page.ts';
import { filterOf, periodOf, type RangeQuery } from './range-wire.ts';
import { readTestsInTime } from './read-tests.ts';
import type { SpecFileRow } from './spec-files-wire.ts';
import { DEFAULT_OPTIONS, type TestSummary, type TestsQuery } from './tests-wire.ts';
import type { Trends } from './trends.ts';

interface AskedFile extends Asked<RangeQuery & Pick<TestsQuery, 'order' | 'dir' | 'page' | 'limit'>> {
  /** The signature of the spec file. */
  readonly signature: string;
}

export interface SpecFileInTime {
  readonly file: SpecFileRow;
  readonly tests: OffsetPage<TestSummary>;
  readonly trends: Trends;
}

const FILES = { includeFailedInDuration: false, specNameFilter: undefined, order: 'suiteSize', dir: 'desc' } as const;

/**
 * Reads a spec file with one page of its tests. Throws 404 if no ended run that the query selects executed the spec
 * file.
 */
export async function readSpecFile(
  services: WithTable,
  { signature, query, ...scope }: AskedFile,
): Promise<SpecFileInTime> {
  const asked = { ...scope, query: { ...DEFAULT_OPTIONS, ...query, format: 'json' as const } };
  const [specs, { rows, trendsOf }] = await Promise.all([
    readSpecs(services, scope, periodOf(query), filterOf(query)),
    readTestsInTime(services, asked),
  ]);
  const file = listSpecFiles(scope, specs, FILES).find((one) => one.signature === signature);
  if (!file) throw notFound('Spec file');
  const tests = offsetPage(
    rows.filter(({ spec }) => spec === file.spec),
    query,
  );
  return { file, tests, trends: trendsOf(tests.list) };
}
