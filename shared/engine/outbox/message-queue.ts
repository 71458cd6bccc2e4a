/** An SQS queue that takes JSON messages of one type. */
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { CONNECTION } from './connection.ts';
import { OUTBOX_LIMITS } from './limits.ts';

export interface QueuedMessage<Message> {
  readonly message: Message;
  /**
   * Delay of the message, at most `OUTBOX_LIMITS.delaySeconds`. Longer delays are scheduled through the table instead.
   */
  readonly delaySeconds?: number;
}

/** SQS refused the message itself, so a retry would fail the same way. */
export class RefusedMessage extends Error {
  override name = 'RefusedMessage';
}

export class MessageQueue<Message extends object> {
  readonly #client: SQSClient;
  readonly #url: string;

  private constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  static connect<Message extends object>(url: string): MessageQueue<Message> {
    return new MessageQueue(new SQSClient(CONNECTION), url);
  }

  /**
   * Sends messages. Throws if the queue refused any of them. After a retry, some messages may be in the queue twice.
   */
  async send(messages: readonly QueuedMessage<Message>[]): Promise<void> {
    const { entriesPerCall } = OUTBOX_LIMITS;
    for (let from = 0; from < messages.length; from += entriesPerCall) {
      await this.#sendBatch(messages.slice(from, from + entriesPerCall));
    }
  }

  async #sendBatch(messages: readonly QueuedMessage<Message>[]): Promise<void> {
    const Entries = messages.map(({ message, delaySeconds }, place) => ({
      Id: `${place}`,
      MessageBody: JSON.stringify(message),
      ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
    }));
    const { Failed = [] } = await this.#client.send(new SendMessageBatchCommand({ QueueUrl: this.#url, Entries }));
    const [first] = Failed;
    if (!first) return;
    const reason = `The queue refused ${Failed.length} of ${messages.length} messages: ${first.Code}`;
    throw first.SenderFault ? new RefusedMessage(reason) : new Error(reason);
  }
}
