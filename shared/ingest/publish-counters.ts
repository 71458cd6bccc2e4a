/**
 * Writes the counters of an instance to its row and to the live counters of its run. A newer version replaces an older
 * one, so repeated and late writes do no harm.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { type Instance, type InstanceKey, instances } from '#shared/model/results/instance.ts';
import type { InstanceResults } from './instance-results.ts';
import { publishProgress } from './publish-progress.ts';

/** Publishes the counters. Returns `undefined` if the instance does not exist or was reset in the meantime. */
export async function publishCounters(
  services: WithTable,
  key: InstanceKey,
  results: InstanceResults,
): Promise<Instance | undefined> {
  const { counters, known, testTags, version, epoch } = results;
  const set = [
    ['counters', counters],
    ['known', known],
    ['testTags', testTags],
    ['version', version],
  ] as const;
  const when = {
    all: [
      { path: 'epoch', equals: epoch },
      { path: 'version', atMost: version },
    ],
  };
  const [{ item: instance }] = await Promise.all([
    services.table.update(instances, key, { set }, when),
    publishProgress(services, key, results),
  ]);
  return instance?.epoch === epoch ? instance : undefined;
}
