/** §6 Parked outbox rows are dead letters: an operator can list them and retry them. */

import type { Actor } from '#shared/access/actor.ts';
import { requirePermission } from '#shared/access/may.ts';
import { PRESENT, put, removeWhen } from '#shared/engine/table/writes.ts';
import { OUTBOX_SHARDS } from '#shared/model/events/outbox.ts';
import { type OutboxRetry, outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import type { CoreServices } from '#shared/services.ts';

export async function listParkedRows(
  { table, now }: CoreServices,
  { actor }: { actor: Actor },
): Promise<OutboxRetry[]> {
  requirePermission(actor, 'outbox:read');
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => outboxParked.span(shard, now() + 1));
  const rows = await Promise.all(shards.map((span) => table.queryAll(outboxParked, span, { consistent: true })));
  return rows.flat().toSorted((one, other) => one.dueAt - other.dueAt);
}

/** Gives each row a new set of retries, which start with the next sweep. */
export async function resendParkedRows(services: CoreServices, by: { actor: Actor }): Promise<OutboxRetry[]> {
  const { table, now } = services;
  requirePermission(by.actor, 'outbox:resend');
  const rows = await listParkedRows(services, by);
  for (const row of rows) {
    await table.transact([
      removeWhen(outboxParked, row, PRESENT),
      put(outboxRetries, { ...row, tries: 0, dueAt: now() }),
    ]);
  }
  return rows;
}
