/**
 * Starts a service that has its own table and that a test can restart, and creates outbox rows that all belong to one
 * shard.
 */
import { onTestFinished } from 'vitest';
import type { BusTrouble } from '#infra/local/events/event-bus.ts';
import { startService } from '#infra/local/service.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { put } from '#shared/engine/table/writes.ts';
import { OUTBOX_SHARDS, type OutboxRow, outbox } from '#shared/model/events/outbox.ts';
import { type OutboxRetry, outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { makeCoreServices } from '#shared/platform/connect.ts';
import { findAssembly, findEngines, findPackages } from '#test/harness/stage.ts';
import { runEvent } from './rows.ts';

const FOR_EVER = 32 ** 9 - 1;
const SHARD = 3;

export async function ownService(trouble: BusTrouble = () => undefined) {
  const own = `own-${crypto.randomUUID().slice(0, 8)}`;
  const start = async (streams: boolean) => {
    const names = { tableName: own, bucketName: own, queuePrefix: `${own}-` };
    const stores = { assembly: await findAssembly(), packages: await findPackages(), engines: await findEngines() };
    const quiet = { schedules: false, onFault: () => {} };
    const running = await startService({ ...stores, ...names, ...quiet, streams, refuseEvents: trouble });
    onTestFinished(running.close);
    Object.assign(process.env, running.environment);
    return { ...running, table: makeCoreServices({ ...running.environment }).table };
  };
  return { start };
}

/** Creates one outbox row per name, with one event each. All rows are in one shard, in this order. */
export const rowsOf = (names: readonly string[], at = Date.now()): OutboxRow[] =>
  names.map((name, place) => ({
    shard: SHARD,
    at: at + place,
    outboxId: name,
    content: { kind: 'events', events: [runEvent(name)] },
  }));

export async function writeRows(table: Table, rows: readonly OutboxRow[]): Promise<void> {
  await table.writeMany(rows.map((row) => put(outbox, row)));
}

/** Returns all rows of a retry index, from all shards. */
export async function retryRows(table: Table, index: typeof outboxRetries = outboxRetries): Promise<OutboxRetry[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => index.span(shard, FOR_EVER));
  return (await Promise.all(shards.map((span) => table.queryAll(index, span, { consistent: true })))).flat();
}

export const parkedRows = (table: Table) => retryRows(table, outboxParked);

/** Returns a bus fault of this kind, which affects only events that contain the word "poisoned". */
export const refusing =
  (kind: ReturnType<BusTrouble>): BusTrouble =>
  ({ Detail }) =>
    Detail.includes('poisoned') ? kind : undefined;
