/** Finds the time at which machines last reported about a spec file, in epoch milliseconds. */
import { testRows } from '#shared/model/tests/evidence.ts';
import type { Instance } from '#shared/model/tests/instance.ts';
import { getTestRecordsSpan } from '#shared/model/tests/test-record.ts';
import type { Services } from '#shared/services.ts';

/** The time at which a spec file was last claimed or completed. Its tests may have reported later. */
export const lastChange = ({ claims, heardAt }: Instance): number =>
  newest([...claims.map(({ at }) => at), heardAt ?? 0]);

/** The time of the latest message about any test of the spec file. Reads all test records of the spec file. */
export async function lastMessage(table: Services['table'], instance: Instance): Promise<number> {
  const rows = await table.queryAll(testRows, getTestRecordsSpan(instance), { consistent: true });
  const records = rows.flatMap((row) => (row.kind === 'record' ? row.record : []));
  return newest(records.flatMap(({ heardAt, finalAt }) => [heardAt ?? 0, finalAt ?? 0]));
}

export const newest = (times: readonly number[]): number => times.reduce((latest, time) => Math.max(latest, time), 0);
