import { retryDeliveries } from '#shared/events/retry-deliveries.ts';
import { schedule } from '#shared/schedule.ts';
import { connectDeliveryQueue } from '#shared/services.ts';

const queue = connectDeliveryQueue();

export const handler = schedule({
  name: 'retryDeliveries',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', artifacts: 'none' },
  sends: ['deliveryQueue'],
  summary: 'Hands deliveries to the sender whose next attempt is due',
  timeoutSeconds: 50,
  retrySeconds: 60,
  metrics: ['due', 'failed', 'lateSeconds'],
  handle: (services, run) => retryDeliveries({ ...services, queue: queue() }, run),
});
