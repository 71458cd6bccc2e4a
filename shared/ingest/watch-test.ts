/**
 * Detects the end of an instance without reading it after each test. An open instance always has one open test with the
 * `watched` mark, or a request that will set it. The request that makes the watched test final marks another open test,
 * or completes the instance.
 */
import { setting } from '#shared/engine/table/update.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import { type RecordKey, testRecords } from '#shared/model/tests/test-record.ts';
import type { CoreServices } from '#shared/services.ts';

/**
 * Returns false if the test is already final. Marking it and making it final change the same row, so one of them sees
 * the other.
 */
export async function watchTest({ table }: Pick<CoreServices, 'table'>, key: RecordKey & Expiring): Promise<boolean> {
  const { organizationId, instanceId, testKey, expiresAt } = key;
  const set = setting({ watched: true, organizationId, instanceId, testKey, expiresAt });
  const isOpen = { any: [{ absent: 'done' }, { path: 'done', equals: false }] };
  const { done } = await table.update(testRecords, key, { set }, isOpen);
  return done;
}
