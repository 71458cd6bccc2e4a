/** An SQS queue that takes JSON messages of one type. */

import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { makeSdkConfiguration } from '#shared/engine/sdk-connection.ts';
import { OUTBOX_LIMITS } from './limits.ts';

export interface QueuedMessage<Message> {
  readonly message: Message;
  /** At most `OUTBOX_LIMITS.delaySeconds`. Longer delays are scheduled through the table instead. */
  readonly delaySeconds?: number;
}

/** SQS refused the message itself, so a retry would fail the same way. */
export class RefusedMessage extends Error {
  override name = 'RefusedMessage';
}

export class MessageQueue<Message extends object> {
  readonly #client = new SQSClient(makeSdkConfiguration(OUTBOX_LIMITS));
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Throws if the queue refused any message. After a retry, some messages may be in the queue twice. */
  async send(messages: readonly QueuedMessage<Message>[]): Promise<void> {
    for (const batch of splitIntoChunks(messages, OUTBOX_LIMITS.entriesPerCall)) await this.#sendBatch(batch);
  }

  async #sendBatch(messages: readonly QueuedMessage<Message>[]): Promise<void> {
    const Entries = messages.map(({ message, delaySeconds }, place) => ({
      Id: `${place}`,
      MessageBody: JSON.stringify(message),
      DelaySeconds: delaySeconds,
    }));
    const { Failed = [] } = await this.#client.send(new SendMessageBatchCommand({ QueueUrl: this.#url, Entries }));
    const [first] = Failed;
    if (!first) return;
    const reason = `The queue refused ${Failed.length} of ${messages.length} messages: ${first.Code}`;
    throw first.SenderFault ? new RefusedMessage(reason) : new Error(reason);
  }
}
