/** A few failed tests of a run, for overviews that name them. */
import { runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { sortWithoutBase } from '../comparisons/compare-tests.ts';
import { readSections } from '../comparisons/comparison-sections.ts';
import type { ComparedTest } from '../comparisons/comparison-wire.ts';
import { NO_MARKED_TESTS, readMarkedTests } from './marked-tests.ts';

interface FailedTestsQuery {
  readonly organizationId: string;
  readonly runId: string;
  /** The default branch of the project. */
  readonly branch: string;
  readonly limit: number;
}

/** Takes three round trips. Errors are not shortened, and secrets in them are not masked. */
export async function readFailedTests(
  services: Services,
  { organizationId, runId, branch, limit }: FailedTestsQuery,
): Promise<ComparedTest[]> {
  const key = { organizationId, runId };
  const [run, failedTests] = await Promise.all([
    services.table.get(runs, key),
    readMarkedTests(services, { run: key, mark: 'f', limit }),
  ]);
  // The run may have been deleted since the analytics were read.
  if (!run) return [];
  const sortedTests = sortWithoutBase({ failed: failedTests, skipped: NO_MARKED_TESTS, flaky: NO_MARKED_TESTS });
  const query = { verdict: 'failed', limit, page: 0, room: undefined } as const;
  const { sections } = await readSections(
    services,
    { run, branch, sorted: sortedTests, tries: [run] },
    query,
    async () => undefined,
  );
  return sections.flatMap(({ tests }) => tests);
}
