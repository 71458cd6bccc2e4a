import { consumer } from '#shared/consumer.ts';
import { connectDeliveryQueue } from '#shared/services.ts';
import { Connections } from '#shared/webhooks/connections.ts';
import { deliver, Order } from '#shared/webhooks/deliver.ts';

const queue = connectDeliveryQueue();
const connections = new Connections();

export const handler = consumer({
  name: 'deliverWebhook',
  source: 'delivery',
  access: { table: 'readWrite', artifacts: 'none' },
  sends: ['deliveryQueue'],
  summary: 'Sends a delivery to its receiver, and says when the next attempt is if that fails',
  maxReceiveCount: 5,
  // One attempt takes ten seconds at most; all of one call are made at once, so that a slow receiver holds up no other.
  timeoutSeconds: 30,
  messagesPerCall: 10,
  concurrently: true,
  metrics: ['delivered', 'failed', 'exhausted', 'disabled'],
  message: Order,
  handle: (order, services) => deliver(order, { ...services, queue: queue(), connections }),
});
