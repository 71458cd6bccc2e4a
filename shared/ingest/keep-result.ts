/**
 * Writes the rows of a streamed test that became final. A test that passed writes one row. Any other test writes its
 * rows and the list of their kinds in one transaction, so that a later message knows what to delete.
 */
import { optimistically } from '#shared/engine/table/optimistic.ts';
import { unlessNewerParts } from '#shared/engine/table/parts.ts';
import { update } from '#shared/engine/table/writes.ts';
import { evidenceParts } from '#shared/model/tests/evidence.ts';
import { history, unlessNewer } from '#shared/model/tests/history-row.ts';
import { testRecords } from '#shared/model/tests/test-record.ts';
import type { CoreServices } from '#shared/services.ts';
import { type FinalResult, outdatedRows, type ResultRows, resultRows } from './result-rows.ts';

type WithTable = Pick<CoreServices, 'table'>;

/** Writes the rows of a test that became final. Idempotent. A newer final message wins, in any order of arrival. */
export async function keepResult(services: WithTable, result: FinalResult): Promise<void> {
  const { record } = result;
  const rows = resultRows(result);
  const { kept = [] } = record;
  if (rows.kept.length === 0 && kept.length === 0) {
    await services.table.put(history, rows.history, unlessNewer(rows.history));
    return;
  }
  for (const part of rows.moreEvidence) await services.table.put(evidenceParts, part, unlessNewerParts(part));
  await optimistically('result of a test', () => writeTogether(services, result, rows));
}

/**
 * Writes the rows and their list in one transaction. Only the newest final message fulfils its condition, so the other
 * writes need none. Returns true if nothing is left to do.
 */
async function writeTogether({ table }: WithTable, { record }: FinalResult, rows: ResultRows): Promise<boolean> {
  const { organizationId, instanceId, testKey, finals, kept = [] } = record;
  const key = { organizationId, instanceId, testKey };
  const isNewest = { all: [{ path: 'finals', equals: finals }, { absent: 'uploaded' }] };
  const outdated = kept.filter((kind) => !rows.kept.includes(kind));
  const done = await table.transact([
    ...rows.puts,
    ...outdatedRows(record, rows.history, outdated),
    update(testRecords, key, { set: [['kept', rows.kept]] }, isNewest),
  ]);
  if (done) return true;
  const newest = await table.get(testRecords, key, { consistent: true });
  // There is nothing left to do if a newer final message or upload writes its own rows, or if a reset or deletion left
  // no record.
  return newest?.finals !== finals || newest.uploaded === true;
}
