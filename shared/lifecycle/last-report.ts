/** Finds the time at which machines last reported about a spec file, in epoch milliseconds. */
import { testRows } from '#shared/model/results/evidence.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import { getTestRecordsSpan } from '#shared/model/results/test-record.ts';
import type { Services } from '#shared/services.ts';

/** When the spec file was last claimed or completed. Its tests may have reported later. */
export const getLastChangeTime = ({ claims, heardAt }: Instance): number =>
  pickLatestTime([...claims.map(({ at }) => at), heardAt ?? 0]);

/** Reads all test records of the spec file. */
export async function readLastMessageTime(table: Services['table'], instance: Instance): Promise<number> {
  const rows = await table.queryAll(testRows, getTestRecordsSpan(instance), { consistent: true });
  const records = rows.flatMap((row) => (row.kind === 'record' ? row.record : []));
  return pickLatestTime(records.flatMap(({ heardAt, finalAt }) => [heardAt ?? 0, finalAt ?? 0]));
}

export const pickLatestTime = (times: readonly number[]): number =>
  times.reduce((maximum, time) => Math.max(maximum, time), 0);
