/**
 * The counters of an instance are gauges. A newer version replaces an older one, so repeated and late writes are
 * harmless.
 */
import { type Instance, type InstanceKey, instances } from '#shared/model/instance.ts';
import type { CoreServices } from '#shared/services.ts';
import { type InstanceResults, loadResults } from './instance-results.ts';

type Counting = Pick<CoreServices, 'table'>;

/** Publishes the counters. Returns `undefined` if the instance does not exist or was reset meanwhile. */
export async function publishCounters(
  { table }: Counting,
  key: InstanceKey,
  { counters, known, testTags, version, epoch }: InstanceResults,
): Promise<Instance | undefined> {
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
  const outcome = await table.update(instances, key, { set }, when);
  const instance = outcome.done ? outcome.item : outcome.existing;
  return instance?.epoch === epoch ? instance : undefined;
}

/** Reads are eventually consistent by default, because such reads are cheaper. */
export async function refreshCounters(
  services: Counting,
  key: InstanceKey,
  options: { readonly consistent?: boolean } = {},
): Promise<Instance | undefined> {
  const results = await loadResults(services, key, options);
  return results.isResetting ? undefined : publishCounters(services, key, results);
}

const FEW_TESTS = 8;
const PUBLISHED_PER_FILE = 16;
const TESTS_APART = 10;
const DIGITS = 6;

/** About 16 tests of a spec file publish its counters. In small files each test does. */
export function isMilestone(testKey: string, tests: number): boolean {
  if (tests <= FEW_TESTS) return true;
  const apart = Math.max(TESTS_APART, Math.floor(tests / PUBLISHED_PER_FILE));
  return Number.parseInt(testKey.slice(-DIGITS), 16) % apart === 0;
}
