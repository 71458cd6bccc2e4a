import { consumer } from '#shared/consumer.ts';
import { RunEvent } from '#shared/resources/run-event.ts';
import { connectDeliveryQueue } from '#shared/services.ts';
import { fanOut } from '#shared/webhooks/fan-out.ts';

const queue = connectDeliveryQueue();

export const handler = consumer({
  name: 'fanOutRunEvent',
  source: 'runEvent',
  access: { table: 'readWrite', artifacts: 'none' },
  sends: ['deliveryQueue'],
  summary: 'Makes a delivery of an event for every webhook of its project that wants it',
  maxReceiveCount: 5,
  timeoutSeconds: 30,
  messagesPerCall: 10,
  concurrently: true,
  message: RunEvent,
  handle: (event, services) => fanOut(event, { ...services, queue: queue() }),
});
