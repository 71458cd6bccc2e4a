/** §6 Sends the content of an outbox row to the event bus, or to a queue for webhooks or notifications. */

import type { EventBus } from '#shared/engine/outbox/event-bus.ts';
import { type MessageQueue, RefusedMessage } from '#shared/engine/outbox/message-queue.ts';
import type { DomainEvent } from '#shared/model/events/domain-event.ts';
import type { DeliveryJob, OutboxContent } from '#shared/model/events/outbox-content.ts';
import type { CoreServices } from '#shared/services.ts';

export interface Destinations {
  readonly bus: EventBus;
  readonly queue: MessageQueue<DeliveryJob>;
  /** Deliveries of webhooks go to `queue`. */
  readonly notifications: MessageQueue<DeliveryJob>;
}

export class RefusedEvents extends Error {
  override name = 'RefusedEvents';
  readonly events: readonly DomainEvent[];

  constructor(message: string, events: readonly DomainEvent[]) {
    super(message);
    this.events = events;
  }
}

export async function sendToDestination(
  { bus, queue, notifications }: Destinations,
  content: OutboxContent,
): Promise<void> {
  if (content.kind === 'unreadable') throw new Error('The content of the outbox row cannot be read');
  if (content.kind !== 'events')
    return (content.kind === 'notification' ? notifications : queue).send([{ message: content.job }]);
  const entries = content.events.map((detail) => ({ event: detail.type, detail, at: detail.occurredAt }));
  const refusedEntries = await bus.publish(entries);
  const [first] = refusedEntries;
  if (!first) return;
  throw new RefusedEvents(
    `The event bus refused ${refusedEntries.length} of ${entries.length} events: ${first.reason}`,
    refusedEntries.flatMap(({ index }) => content.events[index] ?? []),
  );
}

/** An outage makes all rows fail, so it must not use up the retries of any row. */
export async function isOutage(
  { bus, now }: Destinations & Pick<CoreServices, 'now'>,
  { kind }: OutboxContent,
  error: unknown,
): Promise<boolean> {
  if (kind === 'unreadable') return false;
  return kind === 'delivery' || kind === 'notification' ? !(error instanceof RefusedMessage) : !(await bus.isUp(now()));
}
