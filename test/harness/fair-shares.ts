/**
 * Wraps the services of a queue function, so that the organization of each message has a free concurrency slot. Throws
 * if the function returns a message to its queue.
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
