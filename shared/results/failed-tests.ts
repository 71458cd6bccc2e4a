/** A few failed tests of a run, for overviews that name them. */
import { runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { sortWithoutBase } from './compare-tests.ts';
import { readSections } from './comparison-sections.ts';
import type { ComparedTest } from './comparison-wire.ts';
import { markedTests, NO_MARKED_TESTS } from './marked-tests.ts';

interface Asked {
  readonly organizationId: string;
  readonly runId: string;
  /** The default branch of the project. */
  readonly branch: string;
  readonly limit: number;
}

/**
 * Reads failed tests with their errors, and since when they have been failing on the default branch. Takes three round
 * trips. Errors are not shortened, and secrets in them are not masked.
 */
export async function failedTests(
  services: Services,
  { organizationId, runId, branch, limit }: Asked,
): Promise<ComparedTest[]> {
  const key = { organizationId, runId };
  const [run, failed] = await Promise.all([
    services.table.get(runs, key),
    markedTests(services, { run: key, mark: 'f', limit }),
  ]);
  // The run may have been deleted since the analytics were read.
  if (!run) return [];
  const sorted = sortWithoutBase({ failed, skipped: NO_MARKED_TESTS, flaky: NO_MARKED_TESTS });
  const asked = { verdict: 'failed', limit, page: 0, room: undefined } as const;
  const { sections } = await readSections(
    services,
    { run, branch, sorted, tries: [run] },
    asked,
    async () => undefined,
  );
  return sections.flatMap(({ tests }) => tests);
}
