import { retryAllDeliveries } from '#shared/events/retry-deliveries.ts';
import { dueDeliveries, dueNotifications } from '#shared/model/due.ts';
import { connectDeliveryQueue, connectNotificationQueue } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const queue = connectDeliveryQueue();
const notifications = connectNotificationQueue();

export const handler = schedule({
  name: 'retryDeliveries',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', reads: [], writes: [dueDeliveries, dueNotifications], artifacts: 'none' },
  sends: ['deliveryQueue', 'notificationQueue'],
  summary: 'Queues due delivery attempts of webhooks and notifications',
  timeoutSeconds: 50,
  retrySeconds: 60,
  metrics: ['due', 'failed', 'lateSeconds'],
  handle: (services, run) => retryAllDeliveries({ ...services, queue: queue(), notifications: notifications() }, run),
});
