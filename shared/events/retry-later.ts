/** §6 Retries a failing outbox row with backoff, then parks it for an operator. */

import { PRESENT, put, removeWhen } from '#shared/engine/table/writes.ts';
import { type OutboxRow, outbox } from '#shared/model/events/outbox.ts';
import type { OutboxContent } from '#shared/model/events/outbox-content.ts';
import { type OutboxRetry, outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import type { CoreServices } from '#shared/services.ts';
import { RefusedEvents } from './destinations.ts';
import { EVENT_LIMITS } from './limits.ts';

/** Moves the row to those that are retried, unless another process has removed or moved it. */
export async function retryLater({ table, now }: CoreServices, row: OutboxRow, error: unknown): Promise<void> {
  const { shard, outboxId, at } = row;
  const retry = { shard, at, tries: 1, reason: String(error), dueAt: now() + getRetryDelay(1) };
  const rows = splitByEvent(row.content, error).map((content, place) =>
    put(outboxRetries, { ...retry, retryId: `${outboxId}-${place}`, content }),
  );
  await table.transact([removeWhen(outbox, row, PRESENT), ...rows]);
}

/** One row per refused event, so that each event is retried independently. */
const splitByEvent = (content: OutboxContent, error: unknown): OutboxContent[] =>
  content.kind === 'events'
    ? (error instanceof RefusedEvents ? error.events : content.events).map((event) => ({
        kind: 'events',
        events: [event],
      }))
    : [content];

/** After its last retry, the row is parked. Returns whether it was. */
export async function retryAgainOrPark(
  { table, now }: CoreServices,
  row: OutboxRetry,
  error: unknown,
): Promise<boolean> {
  const isParked = row.tries >= EVENT_LIMITS.outboxRetrySeconds.length;
  const next: OutboxRetry = {
    ...row,
    tries: row.tries + 1,
    reason: String(error),
    dueAt: now() + (isParked ? 0 : getRetryDelay(row.tries + 1)),
  };
  const writes = [removeWhen(outboxRetries, row, PRESENT), put(isParked ? outboxParked : outboxRetries, next)];
  return (await table.transact(writes)) && isParked;
}

const getRetryDelay = (tries: number): number => (EVENT_LIMITS.outboxRetrySeconds[tries - 1] ?? 0) * 1000;
