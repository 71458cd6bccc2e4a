/**
 * Writes the counters of an instance to its row and to the live counters of its run. A newer version replaces an older
 * one, so repeated and late writes do no harm.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Changes, toAssignments } from '#shared/engine/table/update.ts';
import { type Instance, type InstanceKey, instances } from '#shared/model/results/instance.ts';
import type { InstanceResults } from './instance-results.ts';
import { publishProgress } from './publish-progress.ts';

/** What the row of an instance says about its results. `more`: further members of the row. */
export const toCounterChanges = (
  { counters, known, testTags, version, hasMore }: InstanceResults,
  more: Partial<Instance> = {},
): Changes => ({
  set: toAssignments({ counters, known, testTags, version, hasMore: hasMore || undefined, ...more }),
  remove: hasMore ? [] : ['hasMore'],
});

/** Publishes the counters. Returns `undefined` if the instance does not exist or was reset in the meantime. */
export async function publishCounters(
  services: WithTable,
  key: InstanceKey,
  results: InstanceResults,
): Promise<Instance | undefined> {
  const { version, epoch } = results;
  const when = {
    all: [
      { path: 'epoch', equals: epoch },
      { path: 'version', atMost: version },
    ],
  };
  const [{ item: instance }] = await Promise.all([
    services.table.update(instances, key, toCounterChanges(results), when),
    publishProgress(services, key, results),
  ]);
  return instance?.epoch === epoch ? instance : undefined;
}
