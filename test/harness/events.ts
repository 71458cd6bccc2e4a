/**
 * Reads the events that runs have put into the outbox, with the webhook bodies that receivers would get. Leaves out the
 * deletions of runs, about which no webhook is sent.
 */

import { remove } from '#shared/engine/table/writes.ts';
import { getOutboxSpan, OUTBOX_SHARDS, type OutboxRow, outbox } from '#shared/model/events/outbox.ts';
import type { Services } from '#shared/services.ts';
import type { WebhookBody } from '#shared/webhooks/body-wire.ts';
import { toWebhookBody } from '#shared/webhooks/fan-out.ts';

const FOR_EVER = 32 ** 9 - 1;

interface Stage {
  readonly services: Services;
}

interface WebhookEvent {
  readonly organizationId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly runCreatedAt: number;
  readonly group: string;
  readonly occurredAt: number;
  readonly payload: WebhookBody;
}

/** The events of a run, in order of time. */
export async function eventsOfRun(stage: Stage, runId: string): Promise<WebhookEvent[]> {
  return eventsIn(stage, await rowsOf(stage), runId);
}

/** Returns the events of a run and empties the outbox, for tests that record thousands of runs. */
export async function takeEventsOfRun(stage: Stage, runId: string): Promise<WebhookEvent[]> {
  return eventsIn(stage, await takeRows(stage), runId);
}

/** Returns the events of all runs and empties the outbox. The events of each run are in order of time. */
export async function takeEventsOfRuns(stage: Stage): Promise<WebhookEvent[]> {
  return eventsIn(stage, await takeRows(stage));
}

async function takeRows(stage: Stage): Promise<OutboxRow[]> {
  const rows = await rowsOf(stage);
  await stage.services.table.writeMany(rows.map((row) => remove(outbox, row)));
  return rows;
}

async function rowsOf({ services: { table } }: Stage): Promise<OutboxRow[]> {
  const shards = Array.from({ length: OUTBOX_SHARDS }, (_, shard) =>
    table.queryAll(outbox, getOutboxSpan(shard, FOR_EVER), { consistent: true }),
  );
  return (await Promise.all(shards)).flat();
}

/** Returns the events of this run, or of all runs if none is given. */
const eventsIn = ({ services }: Stage, rows: readonly OutboxRow[], wanted?: string): WebhookEvent[] =>
  rows
    .flatMap(({ content }) => (content.kind === 'events' ? content.events : []))
    .filter(({ runId }) => wanted === undefined || runId === wanted)
    .flatMap((event) => {
      if (event.type === 'RunDeleted') return [];
      const { organizationId, projectId, runId, runCreatedAt, groupId, occurredAt } = event;
      const payload = toWebhookBody(services.origin, event);
      return [{ organizationId, projectId, runId, runCreatedAt, group: groupId, occurredAt, payload }];
    });
