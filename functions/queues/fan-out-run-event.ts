import { deliveries } from '#shared/model/delivery.ts';
import { webhooks, webhooksOfProject } from '#shared/model/webhook.ts';
import { connectDeliveryQueue } from '#shared/platform/connect.ts';
import { consumer } from '#shared/platform/consumer.ts';
import { fanOut } from '#shared/webhooks/fan-out.ts';
import { FanOutMessage } from '#shared/webhooks/message-wire.ts';

const queue = connectDeliveryQueue();

export const handler = consumer({
  name: 'fanOutRunEvent',
  source: 'runEvent',
  access: { table: 'readWrite', reads: [webhooksOfProject, webhooks], writes: [deliveries], artifacts: 'none' },
  sends: ['deliveryQueue'],
  summary: 'Creates one delivery per webhook that subscribes to the event',
  maxReceiveCount: 5,
  timeoutSeconds: 30,
  messagesPerCall: 10,
  concurrently: true,
  message: FanOutMessage,
  handle: (event, services) => fanOut(event, { ...services, queue: queue() }),
});
