import { relayOrRetryLater } from '#shared/events/relay.ts';
import { OUTBOX_PREFIX, outbox } from '#shared/model/events/outbox.ts';
import { outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { connectDeliveryQueue, connectEventBus, connectNotificationQueue } from '#shared/platform/connect.ts';
import { stream } from '#shared/platform/stream.ts';

const bus = connectEventBus();
const queue = connectDeliveryQueue();
const notifications = connectNotificationQueue();

export const handler = stream({
  name: 'relayOutbox',
  rows: OUTBOX_PREFIX,
  access: { table: 'readWrite', reads: [], writes: [outbox, outboxRetries], artifacts: 'none' },
  sends: ['eventBus', 'deliveryQueue', 'notificationQueue'],
  summary: 'Relays new outbox rows to the event bus and the delivery queues',
  timeoutSeconds: 30,
  handle: (row, services) =>
    relayOrRetryLater({ ...services, bus: bus(), queue: queue(), notifications: notifications() }, outbox.load(row)),
});
