/**
 * Writes the rows of a streamed test that has finished. A test that passed without being flaky gets only a history row,
 * unless a rule matched it. For any other test, one transaction writes its rows together with a list of their kinds, by
 * which a later result of the test finds and deletes rows that no longer apply. Only the later parts of long evidence
 * are written before the transaction.
 */

import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { expectNoNewerParts } from '#shared/engine/table/parts.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { update } from '#shared/engine/table/writes.ts';
import { evidenceParts } from '#shared/model/results/evidence.ts';
import { expectNoNewerRow, history } from '#shared/model/results/history-row.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import type { Services } from '#shared/services.ts';
import { extendTerms } from './extend-terms.ts';
import { buildResultRows, type FinalResult, planOutdatedRowRemoval, type ResultRows } from './result-rows.ts';

/** The newest final message wins, in whatever order and however often the messages arrive. */
export async function keepResult(
  services: Pick<Services, 'table' | 'now' | 'recent'>,
  result: FinalResult,
): Promise<void> {
  const { record } = result;
  const rows = buildResultRows(result);
  await extendTerms(services, [rows.history]);
  const { kept = [] } = record;
  if (rows.kept.length === 0 && kept.length === 0) {
    await services.table.put(history, rows.history, expectNoNewerRow(rows.history));
    return;
  }
  for (const part of rows.moreEvidence) await services.table.put(evidenceParts, part, expectNoNewerParts(part));
  await retryOptimistically('result of a test', async () => (await writeTogether(services, result, rows)) || AGAIN);
}

/**
 * Writes the rows and the list of their kinds in one transaction. The update of the list succeeds only for the newest
 * final message, so the other writes need no conditions. Returns true if nothing is left to do.
 */
async function writeTogether({ table }: WithTable, { record }: FinalResult, rows: ResultRows): Promise<boolean> {
  const { finals, kept = [] } = record;
  const isNewest = { all: [{ path: 'finals', equals: finals }, { absent: 'uploaded' }] };
  const outdatedKinds = kept.filter((kind) => !rows.kept.includes(kind));
  const isWritten = await table.transact([
    ...rows.puts,
    ...planOutdatedRowRemoval(record, rows.history, outdatedKinds),
    update(testRecords, record, { set: [['kept', rows.kept]] }, isNewest),
  ]);
  if (isWritten) return true;
  const newestRecord = await table.get(testRecords, record, { consistent: true });
  // Nothing is left to do if a newer final message or upload writes its own rows, or if a reset or a deletion removed
  // the record.
  return newestRecord?.finals !== finals || newestRecord.uploaded === true;
}
