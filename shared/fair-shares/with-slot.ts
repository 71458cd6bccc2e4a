/** Handles a message if its organization and its receiver have a free slot. Otherwise it returns to its queue. */
import * as z from 'zod';
import type { MessageQueue } from '#shared/engine/outbox/message-queue.ts';
import type { CallSlots, LeaseServices, SlotHolder } from './call-slots.ts';

/** How often a message went back to its queue because no slot was free. */
export const Rounds = z.int().nonnegative().default(0);

interface WaitingMessage {
  readonly rounds: number;
}

export interface FairShare<Message extends WaitingMessage> extends LeaseServices {
  readonly slots: CallSlots;
  /** Where the message came from. */
  readonly queue: Pick<MessageQueue<Message>, 'send'>;
}

/**
 * Returns the log entries of `act`, or an entry that says that the message was deferred. A deferred message is sent
 * again as a new message, so that waiting does not count toward the limit of delivery attempts after which a message
 * becomes a dead letter.
 */
export async function runWithSlot<Message extends WaitingMessage>(
  services: FairShare<NoInfer<Message>>,
  holder: SlotHolder,
  message: Message,
  act: () => Promise<readonly object[]>,
): Promise<readonly object[]> {
  const { slots, queue } = services;
  const notes = await slots.withSlot(services, holder, act);
  if (notes) return notes;
  const again = { ...message, rounds: message.rounds + 1 };
  await queue.send([{ message: again, delaySeconds: slots.waitSeconds(message.rounds) }]);
  return [{ ...holder, outcome: 'deferred', deferred: 1, rounds: again.rounds }];
}
