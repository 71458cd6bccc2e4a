import { relay } from '#shared/events/relay.ts';
import { OUTBOX_PREFIX, outbox } from '#shared/resources/outbox.ts';
import { connectDeliveryQueue, connectEventBus } from '#shared/services.ts';
import { stream } from '#shared/stream.ts';

const bus = connectEventBus();
const queue = connectDeliveryQueue();

export const handler = stream({
  name: 'relayOutbox',
  rows: OUTBOX_PREFIX,
  access: { table: 'readWrite', artifacts: 'none' },
  sends: ['eventBus', 'deliveryQueue'],
  summary: 'Sends what a change of the table is to tell, and takes it out of the outbox',
  timeoutSeconds: 30,
  handle: (row, services) => relay({ ...services, bus: bus(), queue: queue() }, outbox.load(row)),
});
