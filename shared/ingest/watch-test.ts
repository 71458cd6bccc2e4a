/**
 * Detects the end of an instance without reading it after each test. An open instance always has one open test with the
 * `watched` mark, or a request that will set it. The request that makes the watched test final marks another open test,
 * or completes the instance.
 */
import { type RecordKey, testRecords } from '#shared/model/test-record.ts';
import type { CoreServices } from '#shared/services.ts';

/** Returns false if the test is already final. Both writes change the same row, so one of them sees the other. */
export async function watchTest({ table }: Pick<CoreServices, 'table'>, key: RecordKey): Promise<boolean> {
  const { organizationId, instanceId, testKey } = key;
  const set = Object.entries({ watched: true, organizationId, instanceId, testKey });
  const isOpen = { any: [{ absent: 'done' }, { path: 'done', equals: false }] };
  const { done } = await table.update(testRecords, key, { set }, isOpen);
  return done;
}
