import { retryDeliveries } from '#shared/events/retry-deliveries.ts';
import { dueDeliveries } from '#shared/model/due.ts';
import { connectDeliveryQueue } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const queue = connectDeliveryQueue();

export const handler = schedule({
  name: 'retryDeliveries',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', reads: [], writes: [dueDeliveries], artifacts: 'none' },
  sends: ['deliveryQueue'],
  summary: 'Queues delivery attempts that are due',
  timeoutSeconds: 50,
  retrySeconds: 60,
  metrics: ['due', 'failed', 'lateSeconds'],
  handle: (services, run) => retryDeliveries({ ...services, queue: queue() }, run),
});
