/**
 * Detects the end of an instance without reading all its tests after each test. While an instance is open, one open
 * test has the `watched` mark, or a request is about to set the mark. The request that finishes the watched test marks
 * another open test, or completes the instance.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { type RecordKey, testRecords } from '#shared/model/results/test-record.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';

/** Returns false if the test has finished. Marking and finishing change one row, so the second sees the first. */
export async function watchTest({ table }: WithTable, key: RecordKey & Expiring): Promise<boolean> {
  const { organizationId, instanceId, testKey, expiresAt } = key;
  const set = toAssignments({ watched: true, organizationId, instanceId, testKey, expiresAt });
  const isOpen = { any: [{ absent: 'done' }, { path: 'done', equals: false }] };
  const { done } = await table.update(testRecords, key, { set }, isOpen);
  return done;
}
