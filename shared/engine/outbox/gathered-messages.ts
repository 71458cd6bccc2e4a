/**
 * Combines messages that are sent in the same event loop tick into one call. This helps because one invocation may send
 * up to ten messages back to the queue.
 */
import { setImmediate } from 'node:timers/promises';
import type { MessageQueue, QueuedMessage } from './message-queue.ts';

type Queue<Message extends object> = Pick<MessageQueue<Message>, 'send'>;

export class GatheredMessages<Message extends object> implements Queue<Message> {
  readonly #queue: () => Queue<Message>;
  #gathered: QueuedMessage<Message>[] = [];
  #sent: Promise<void> | undefined;

  constructor(queue: () => Queue<Message>) {
    this.#queue = queue;
  }

  /** Sends with all messages of this tick. Throws if the queue refuses any, so a retry may queue some twice. */
  send(messages: readonly QueuedMessage<Message>[]): Promise<void> {
    this.#gathered.push(...messages);
    this.#sent ??= this.#sendGathered();
    return this.#sent;
  }

  async #sendGathered(): Promise<void> {
    await setImmediate();
    const messages = this.#gathered;
    this.#gathered = [];
    this.#sent = undefined;
    await this.#queue().send(messages);
  }
}
