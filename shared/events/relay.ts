/** §6 From the outbox to where its messages go. Each leaves once or more: a row is taken away only when all of it was taken. */
import type { DeliveryQueue } from '../outbound/delivery-queue.ts';
import type { EventBus } from '../outbound/event-bus.ts';
import { type OutboxContent, type OutboxRow, outbox } from '../resources/outbox.ts';
import type { Table } from '../table/table.ts';
import { remove } from '../table/writes.ts';

export interface Outward {
  readonly bus: EventBus;
  readonly queue: DeliveryQueue;
}

/**
 * Throws when something of the row was not taken: then the row stays, and is relayed again as a whole. Answers with the
 * ids of what was sent.
 */
export async function relay(services: Outward & { readonly table: Table }, row: OutboxRow): Promise<readonly object[]> {
  await send(services, row.content);
  await services.table.writeMany([remove(outbox, row)]);
  if (row.content.kind === 'delivery') return [row.content.order];
  return row.content.events.map(({ organizationId, runId, group, payload: { event } }) => ({
    organizationId,
    runId,
    group,
    event,
  }));
}

async function send({ bus, queue }: Outward, content: OutboxContent): Promise<void> {
  if (content.kind === 'delivery') return queue.send([{ order: content.order }]);
  const entries = content.events.map((detail) => ({ event: detail.payload.event, detail, at: detail.occurredAt }));
  const untaken = await bus.publish(entries);
  const [first] = untaken;
  if (first) throw new Error(`The event bus did not take ${untaken.length} of ${entries.length}: ${first.reason}`);
}
