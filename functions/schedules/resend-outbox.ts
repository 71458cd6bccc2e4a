import { resendOutbox } from '#shared/events/resend.ts';
import { schedule } from '#shared/schedule.ts';
import { connectDeliveryQueue, connectEventBus } from '#shared/services.ts';

const bus = connectEventBus();
const queue = connectDeliveryQueue();

export const handler = schedule({
  name: 'resendOutbox',
  expression: 'rate(1 minute)',
  access: { table: 'readWrite', artifacts: 'none' },
  sends: ['eventBus', 'deliveryQueue'],
  summary: 'Sends again what the relay did not take out of the outbox',
  timeoutSeconds: 50,
  retrySeconds: 60,
  metrics: ['resent', 'failed', 'lateSeconds'],
  handle: (services, run) => resendOutbox({ ...services, bus: bus(), queue: queue() }, run),
});
