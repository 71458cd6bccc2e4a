/** What the service would tell the world of a run: its rows in the outbox, as nobody has sent them yet. */
import { OUTBOX_SHARDS, type OutboxRow, outbox, outboxSpan } from '#shared/resources/outbox.ts';
import type { RunEvent } from '#shared/resources/run-event.ts';
import type { Services } from '#shared/services.ts';
import { remove } from '#shared/table/writes.ts';

const FOR_EVER = 32 ** 9 - 1;

interface Stage {
  readonly services: Services;
}

/** In the order in which they happened. */
export async function eventsOfRun(stage: Stage, runId: string): Promise<RunEvent[]> {
  return eventsIn(await rowsOf(stage), runId);
}

/** The same, and whatever is in the outbox is taken out of it: for a test that would fill it with thousands of runs. */
export async function takeEventsOfRun(stage: Stage, runId: string): Promise<RunEvent[]> {
  const rows = await rowsOf(stage);
  await stage.services.table.writeMany(rows.map((row) => remove(outbox, row)));
  return eventsIn(rows, runId);
}

async function rowsOf({ services: { table } }: Stage): Promise<OutboxRow[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) =>
    table.queryAll(outbox, outboxSpan(shard, FOR_EVER), { consistent: true }),
  );
  return (await Promise.all(shards)).flat();
}

const eventsIn = (rows: readonly OutboxRow[], runId: string): RunEvent[] =>
  rows
    .flatMap(({ content }) => (content.kind === 'events' ? content.events : []))
    .filter((event) => event.runId === runId);
