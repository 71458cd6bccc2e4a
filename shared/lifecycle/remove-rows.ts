/** Removes the rows of a project or an organization that belong to no run, and their objects. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { Attributes, Span } from '#shared/engine/table/entity.ts';
import type { Time } from '#shared/engine/table/sweep.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getRowKey, removeKey } from '#shared/engine/table/writes.ts';
import { getPartitionSpans, type RowsOf } from '#shared/model/organizations/rows-of-project.ts';
import type { Services } from '#shared/services.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

/** Returns whether there were no rows. Returns false if the time runs out. */
export async function removeRows<Owner>(
  { table, artifacts }: WithTable & Partial<Pick<Services, 'artifacts'>>,
  kinds: readonly RowsOf<Owner>[],
  owner: Owner,
  time: Time,
): Promise<boolean> {
  const readRows = (span: Span) => table.queryAll(anyRow, span, { consistent: true, ended: true });
  const removeAll = (rows: readonly Attributes[]) => table.writeMany(rows.map((row) => removeKey(getRowKey(row))));
  let wasEmpty = true;
  for (const { partitions, leadsTo, objectOf } of kinds) {
    for (const span of getPartitionSpans(partitions(owner))) {
      if (time.remainingMilliseconds() < LIFECYCLE_LIMITS.deletionMarginMilliseconds) return false;
      const rows = await readRows(span);
      const furtherSpans = leadsTo ? getPartitionSpans(rows.map(leadsTo)) : [];
      for (const furtherSpan of furtherSpans) await removeAll(await readRows(furtherSpan));
      if (objectOf) {
        if (!artifacts) throw new Error('Rows with objects cannot be removed without access to the artifact storage');
        await mapConcurrently(rows.map(objectOf), (key) => artifacts.remove(key));
      }
      await removeAll(rows);
      wasEmpty &&= rows.length === 0;
    }
  }
  return wasEmpty;
}

const anyRow = { load: (row: Attributes) => row };
