/**
 * Returns the services for a queue function that processes a message of an organization with a free concurrency slot.
 */
import { CallSlots, type Caps } from '#shared/fair-shares/call-slots.ts';
import type { Services } from '#shared/services.ts';

export const inFreeSlot = <Own extends Services>(services: Own, caps: Caps) => ({
  ...services,
  slots: new CallSlots(caps),
  queue: {
    send: async () => {
      throw new Error('The message went back to its queue, although a slot was free');
    },
  },
});
