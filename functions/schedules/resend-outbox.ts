import { resendOutbox } from '#shared/events/resend.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { connectDeliveryQueue, connectEventBus, connectNotificationQueue } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const bus = connectEventBus();
const queue = connectDeliveryQueue();
const notifications = connectNotificationQueue();

export const handler = schedule({
  name: 'resendOutbox',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', reads: [], writes: [outbox, outboxRetries, outboxParked], artifacts: 'none' },
  sends: ['eventBus', 'deliveryQueue', 'notificationQueue'],
  summary: 'Resends outbox rows that are overdue or due for a retry',
  timeoutSeconds: 50,
  retrySeconds: 60,
  metrics: ['resent', 'failed', 'parked', 'lateSeconds'],
  handle: (services, run) =>
    resendOutbox({ ...services, bus: bus(), queue: queue(), notifications: notifications() }, run),
});
