/**
 * §3 Tests in progress continue and count after their run is cancelled or times out. The stored counters of open
 * instances may be outdated, so they are counted again, and running tests get the `watched` mark.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { publishCounters } from '#shared/ingest/publish-counters.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { type Instance, instances, isTouched } from '#shared/model/results/instance.ts';
import { getRunMembersSpan } from '#shared/model/runs/run.ts';

/** Those that may have results, and are incomplete or completed at or after `completedSince` (epoch milliseconds). */
export async function listOpenInstances(
  { table }: WithTable,
  run: RunKey,
  completedSince = Number.POSITIVE_INFINITY,
): Promise<Instance[]> {
  const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
  return all.filter((instance) => isTouched(instance) && (instance.completedAt ?? Infinity) >= completedSince);
}

export async function refreshOpenInstances(
  services: WithTable,
  run: RunKey,
  { hasEnded }: { hasEnded: boolean },
): Promise<void> {
  await mapConcurrently(await listOpenInstances(services, run), async (instance) => {
    const results = await loadResults(services, instance, { consistent: true });
    if (results.isResetting) return;
    const runningRecords = hasEnded ? results.records.filter(({ done, watched }) => !done && !watched) : [];
    const { expiresAt } = results;
    for (const { testKey } of runningRecords) await watchTest(services, { ...instance, testKey, expiresAt });
    await publishCounters(services, instance, results);
  });
}
