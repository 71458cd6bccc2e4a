/**
 * Measures the cache of CI jobs: the cost of links for a new archive, for the newest archive, and for an archive with a
 * given key.
 */
import * as z from 'zod';
import type { BenchService } from './bench-service.ts';
import type { Measurement } from './budgets.ts';
import { tripsOf } from './reading.ts';

const VERSIONS = 20;
const Stored = z.object({ cacheKey: z.string() });

export async function measureCache({ api, counted }: BenchService): Promise<Measurement[]> {
  const store = () => api.post('@/cache/upload', { id: 'bench' });
  for (let version = 1; version < VERSIONS; version += 1) await store();
  const stored = await counted(store);
  const { cacheKey } = Stored.parse(stored.result.body);
  const found = await counted(() => api.post('@/cache/meta', { id: 'bench' }));
  const read = await counted(() => api.post('@/cache/v2/download', { cacheKey }));
  return [
    { name: 'cacheStored', measured: stored.cost.writeUnits, note: tripsOf(stored.cost) },
    { name: 'cacheFound', measured: found.cost.readUnits, note: `${VERSIONS} versions, ${tripsOf(found.cost)}` },
    { name: 'cacheRead', measured: read.cost.readUnits, note: tripsOf(read.cost) },
  ];
}
