/**
 * §3 Tests in progress continue after their run is cancelled or times out, and their results count immediately. The
 * stored counters of open instances may be outdated, so the results are counted again. Each running test gets the
 * `watched` mark, so that its result is counted when it finishes.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { publishCounters } from '#shared/ingest/publish-counters.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { getRunMembersSpan } from '#shared/model/runs/run.ts';
import { type Instance, instances, isTouched } from '#shared/model/tests/instance.ts';

/**
 * The instances that may have results, and that are incomplete or were completed at or after `completedSince` (epoch
 * milliseconds).
 */
export async function openInstances(
  { table }: WithTable,
  run: RunKey,
  completedSince = Number.POSITIVE_INFINITY,
): Promise<Instance[]> {
  const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
  return all.filter((instance) => isTouched(instance) && (instance.completedAt ?? Infinity) >= completedSince);
}

export async function settleRun(services: WithTable, run: RunKey, { hasEnded }: { hasEnded: boolean }): Promise<void> {
  await mapConcurrently(await openInstances(services, run), async (instance) => {
    const results = await loadResults(services, instance, { consistent: true });
    if (results.isResetting) return;
    const running = hasEnded ? results.records.filter(({ done, watched }) => !done && !watched) : [];
    const { expiresAt } = results;
    for (const { testKey } of running) await watchTest(services, { ...instance, testKey, expiresAt });
    await publishCounters(services, instance, results);
  });
}
