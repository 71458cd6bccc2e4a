/** §3 Names the tests that several sources of a run reported, so that people can tell the sources apart by groups. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { collectInstanceTests } from '#shared/ingest/store-details.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { RepeatedTests } from '#shared/model/runs/run.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

/** Reads only further instances, so a run in which no test was reported twice costs no read. */
export async function findRepeatedTests(
  services: WithTable,
  instances: readonly Instance[],
): Promise<RepeatedTests | undefined> {
  const furtherInstances = instances
    .filter(({ source }) => source !== undefined)
    .slice(0, LIFECYCLE_LIMITS.furtherInstancesRead);
  if (furtherInstances.length === 0) return undefined;
  const tests = new Map<string, RepeatedTests['first'][number]>();
  await mapConcurrently(furtherInstances, async (instance) => {
    const results = await loadResults(services, instance, { consistent: true });
    const { groupId, spec } = instance;
    for (const { testId, title } of (await collectInstanceTests(services, results, [])).tests)
      tests.set(JSON.stringify([groupId, spec, title, testId]), { groupId, spec, testId, title });
  });
  if (tests.size === 0) return undefined;
  const sortedTests = [...tests].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, test]) => test);
  return { tests: sortedTests.length, first: sortedTests.slice(0, LIFECYCLE_LIMITS.repeatedTestsNamed) };
}
