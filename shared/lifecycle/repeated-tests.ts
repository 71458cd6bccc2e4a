/** §3 Names the tests that several sources of a run reported, so that people can tell the sources apart by groups. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { collectInstanceTests } from '#shared/ingest/store-details.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { RepeatedTests } from '#shared/model/runs/run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

/**
 * A test that a source reported after another one is in an instance that belongs to the source alone. Only these
 * instances are read, so a run in which no test was reported twice costs no read. Not all of them are read if a run has
 * very many, so `tests` is then a lower bound.
 */
export async function findRepeatedTests(
  services: WithTable,
  instances: readonly Instance[],
): Promise<RepeatedTests | undefined> {
  const furtherInstances = instances
    .filter(({ source }) => source !== undefined)
    .slice(0, LIFECYCLE_LIMITS.furtherInstancesRead);
  if (furtherInstances.length === 0) return undefined;
  // By place and name, because several sources may have repeated one test.
  const testByKey = new Map<string, RepeatedTests['first'][number]>();
  await mapConcurrently(furtherInstances, async ({ groupId, spec, ...instance }) => {
    const results = await loadResults(services, instance, { consistent: true });
    const { tests } = await collectInstanceTests(services, results, NO_UPLOAD);
    for (const { testId, title } of tests)
      testByKey.set(JSON.stringify([groupId, spec, title, testId]), { groupId, spec, testId, title });
  });
  if (testByKey.size === 0) return undefined;
  const sortedTests = [...testByKey].sort(([key], [otherKey]) => (key < otherKey ? -1 : 1)).map(([, test]) => test);
  return { tests: sortedTests.length, first: sortedTests.slice(0, LIFECYCLE_LIMITS.repeatedTestsNamed) };
}

/** All results are stored: no upload is under way whose tests would have to be added. */
const NO_UPLOAD = [] as const;
