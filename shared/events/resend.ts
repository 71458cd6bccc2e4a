/** §6 The sweeper of the outbox: sends overdue rows, and then rows whose retry is due. */

import type { Attributes } from '#shared/engine/table/entity.ts';
import { processDueRows, type Time } from '#shared/engine/table/sweep.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { getOutboxSpan, OUTBOX_SHARDS, outbox } from '#shared/model/events/outbox.ts';
import { type OutboxRetry, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import type { CoreServices } from '#shared/services.ts';
import { type Destinations, isOutage, sendToDestination } from './destinations.ts';
import { EVENT_LIMITS } from './limits.ts';
import { relayOrStepAside } from './relay.ts';
import { retryAgainOrPark } from './retry-later.ts';

export interface OutboxSweep {
  readonly resent: number;
  /** Rows that could not be sent, including parked rows. */
  readonly failed: number;
  /** Rows that used up their retries. An operator must retry them. */
  readonly parked: number;
  /** The age of the oldest overdue row, or the delay of the most overdue retry if that is longer. */
  readonly lateSeconds: number;
  readonly finished: boolean;
}

const overdueRows = {
  load: (attributes: Attributes) => {
    const row = outbox.load(attributes);
    return { ...row, dueAt: row.at };
  },
  shards: OUTBOX_SHARDS,
  span: (shard: number, now: number) => getOutboxSpan(shard, now - EVENT_LIMITS.resendAfterMilliseconds),
};

export async function resendOutbox(services: CoreServices & Destinations, time: Time): Promise<OutboxSweep> {
  let parkedRows = 0;
  const left = await processDueRows(services, time, overdueRows, async (row) => {
    const fault = await relayOrStepAside(services, row);
    if (fault !== undefined) throw fault;
  });
  const again = await processDueRows(services, time, outboxRetries, async (row: OutboxRetry) => {
    try {
      await sendToDestination(services, row.content);
    } catch (error) {
      const isOwnFault = !(await isOutage(services, row.content, error));
      if (isOwnFault && (await retryAgainOrPark(services, row, error))) parkedRows += 1;
      throw error;
    }
    await services.table.writeMany([remove(outboxRetries, row)]);
  });
  return {
    resent: left.due - left.failed + again.due - again.failed,
    failed: left.failed + again.failed,
    parked: parkedRows,
    lateSeconds: Math.max(left.lateSeconds, again.lateSeconds),
    finished: left.finished && again.finished,
  };
}
