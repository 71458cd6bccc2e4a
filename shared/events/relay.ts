/** §6 Sends outbox rows at least once. A row is removed only after everything in it was accepted. */

import type { Table } from '#shared/engine/table/table.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type OutboxRow, outbox } from '#shared/model/outbox.ts';
import type { OutboxContent } from '#shared/model/outbox-content.ts';
import type { CoreServices } from '#shared/services.ts';
import { type Destinations, isOutage, sendToDestination } from './destinations.ts';
import { retryLater } from './retry-later.ts';

/** Throws if any part of the row was refused: the row stays and is sent again as a whole. Returns the ids for the log. */
export async function relay(
  services: Destinations & { readonly table: Table },
  row: OutboxRow,
): Promise<readonly object[]> {
  await sendToDestination(services, row.content);
  await services.table.writeMany([remove(outbox, row)]);
  return idsIn(row.content);
}

/** Throws only in an outage. A row that fails for a reason of its own is retried later, so it blocks no other row. */
export async function relayOrRetryLater(
  services: CoreServices & Destinations,
  row: OutboxRow,
): Promise<readonly object[]> {
  try {
    return await relay(services, row);
  } catch (error) {
    if (await isOutage(services, row.content, error)) throw error;
    await retryLater(services, row, error);
    return idsIn(row.content).map((ids) => ({ ...ids, outcome: 'retryLater', reason: String(error) }));
  }
}

/** The ids in a row, for the log. */
function idsIn(content: OutboxContent): readonly object[] {
  if (content.kind === 'unreadable') return [{}];
  if (content.kind === 'delivery') return [content.job];
  return content.events.map((event) => ({
    organizationId: event.organizationId,
    runId: event.runId,
    ...(event.type === 'RunDeleted' ? {} : { group: event.groupId }),
    event: event.type,
  }));
}
