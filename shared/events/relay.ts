/** §6 Sends outbox rows at least once. A row is removed only after everything in it was accepted. */

import { pickCorrelation } from '#shared/engine/correlation.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { type OutboxRow, outbox } from '#shared/model/events/outbox.ts';
import type { OutboxContent } from '#shared/model/events/outbox-content.ts';
import type { CoreServices } from '#shared/services.ts';
import { type Destinations, isOutage, RefusedEvents, sendToDestination } from './destinations.ts';
import { retryLater } from './retry-later.ts';

/** Sends and removes a row. If any part is refused, throws and keeps the row. Returns the ids for the log. */
export async function relay(
  services: Destinations & { readonly table: Table },
  row: OutboxRow,
): Promise<readonly object[]> {
  await sendToDestination(services, row.content);
  await services.table.writeMany([remove(outbox, row)]);
  return listIds(row.content);
}

/** A row that fails without an outage is retried later, so that it blocks no other row. Throws during an outage. */
export async function relayOrRetryLater(
  services: CoreServices & Destinations,
  row: OutboxRow,
): Promise<readonly object[]> {
  const fault = await relayOrStepAside(services, row);
  const ids = listIds(row.content);
  return fault === undefined ? ids : ids.map((one) => ({ ...one, outcome: 'retryLater', reason: String(fault) }));
}

/** Schedules a retry and returns the error if the row fails without an outage. Throws during an outage. */
export async function relayOrStepAside(services: CoreServices & Destinations, row: OutboxRow): Promise<unknown> {
  try {
    await relay(services, row);
    return undefined;
  } catch (error) {
    if (await isOutage(services, row.content, error)) throw error;
    // The row may have been refused because of an outage that has just ended, so it is sent again. If it is refused
    // again, the row itself is faulty.
    const again = await sendRefusedAgain(services, row, error);
    if (again !== undefined) await retryLater(services, row, again);
    return again;
  }
}

/** Without the events that were accepted. Returns the error, or `undefined` if everything was accepted. */
async function sendRefusedAgain(
  services: Destinations & { readonly table: Table },
  row: OutboxRow,
  error: unknown,
): Promise<unknown> {
  const { content } = row;
  const refusedContent =
    error instanceof RefusedEvents && content.kind === 'events' ? { ...content, events: error.events } : content;
  try {
    await relay(services, { ...row, content: refusedContent });
    return undefined;
  } catch (again) {
    return again;
  }
}

/** For the log. */
function listIds(content: OutboxContent): readonly object[] {
  if (content.kind === 'unreadable') return [{}];
  if (content.kind !== 'events') return [content.job];
  return content.events.map((event) => ({
    ...pickCorrelation(event),
    organizationId: event.organizationId,
    runId: event.runId,
    ...(event.type === 'RunDeleted' ? {} : { group: event.groupId }),
    event: event.type,
  }));
}
