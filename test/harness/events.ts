/** What the service would tell the world of a run: its rows in the outbox, as nobody has sent them yet. */
import { OUTBOX_SHARDS, outbox, outboxSpan } from '#shared/resources/outbox.ts';
import type { RunEvent } from '#shared/resources/run-event.ts';
import type { Services } from '#shared/services.ts';

const FOR_EVER = 32 ** 9 - 1;

/** In the order in which they happened. */
export async function eventsOfRun({ services: { table } }: { services: Services }, runId: string): Promise<RunEvent[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) =>
    table.queryAll(outbox, outboxSpan(shard, FOR_EVER), { consistent: true }),
  );
  const rows = (await Promise.all(shards)).flat();
  return rows
    .flatMap(({ content }) => (content.kind === 'events' ? content.events : []))
    .filter((event) => event.runId === runId);
}
