/** §6 The queue that the sender of webhooks works on. */
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DeliveryOrder } from '../resources/outbox.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { CONNECTION } from './connection.ts';

export interface QueuedOrder {
  readonly order: DeliveryOrder;
  /** Up to `WEBHOOK_LIMITS.outbound.delaySeconds`; what waits longer is due by the table. */
  readonly delaySeconds?: number;
}

export class DeliveryQueue {
  readonly #client: SQSClient;
  readonly #url: string;

  private constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  static connect(url: string): DeliveryQueue {
    return new DeliveryQueue(new SQSClient(CONNECTION), url);
  }

  /** Throws when the queue did not take all of them: sent again, some may be there twice. */
  async send(orders: readonly QueuedOrder[]): Promise<void> {
    const { entriesPerCall } = WEBHOOK_LIMITS.outbound;
    for (let from = 0; from < orders.length; from += entriesPerCall) {
      await this.#sendBatch(orders.slice(from, from + entriesPerCall));
    }
  }

  async #sendBatch(orders: readonly QueuedOrder[]): Promise<void> {
    const Entries = orders.map(({ order, delaySeconds }, place) => ({
      Id: `${place}`,
      MessageBody: JSON.stringify(order),
      ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
    }));
    const { Failed = [] } = await this.#client.send(new SendMessageBatchCommand({ QueueUrl: this.#url, Entries }));
    const [first] = Failed;
    if (first) throw new Error(`The queue refused ${Failed.length} of ${orders.length} orders: ${first.Code}`);
  }
}
