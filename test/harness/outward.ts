/** A table, an event bus and a queue of deliveries of the test's own, and what has left the service by them. */
import { inject, onTestFinished } from 'vitest';
import * as z from 'zod';
import { awsJsonRequest } from '#infra/local/aws-request.ts';
import { type BusTrouble, startEventBus } from '#infra/local/event-bus.ts';
import { ENVIRONMENT } from '#shared/environment.ts';
import type { Outward } from '#shared/events/relay.ts';
import type { DeliveryOrder } from '#shared/resources/outbox.ts';
import { RunEvent } from '#shared/resources/run-event.ts';
import { type Administration, connectDeliveryQueue, connectEventBus } from '#shared/services.ts';
import { ownTable } from './own-table.ts';

const Received = z.object({
  Messages: z.array(z.object({ Body: z.string(), ReceiptHandle: z.string() })).default([]),
});
const Envelope = z.object({ source: z.string(), 'detail-type': z.string(), time: z.string(), detail: RunEvent });

interface OwnOutward {
  readonly services: Administration & Outward;
  /** What the bus took, in its order, since it was asked last. */
  readonly events: () => Promise<z.infer<typeof Envelope>[]>;
  /** What was put into the queue since it was asked last. */
  readonly orders: () => Promise<DeliveryOrder[]>;
  /** From now on; nothing is refused before. */
  readonly refuseEvents: (trouble: BusTrouble) => void;
  /** Whoever sends deliveries fails from now on. */
  readonly removeQueue: () => Promise<void>;
}

export async function ownOutward(): Promise<OwnOutward> {
  const { services } = await ownTable();
  const endpoint = inject('engines').sqsEndpoint;
  const own = `own-${crypto.randomUUID().slice(0, 8)}`;
  let trouble: BusTrouble = () => undefined;
  const events = await ownQueue(endpoint, `${own}-events`);
  const orders = await ownQueue(endpoint, `${own}-orders`);
  const bus = await startEventBus({
    buses: new Set([own]),
    rules: [{ busName: own, matches: () => true, queueArns: [events.arn] }],
    sqsEndpoint: endpoint,
    trouble: (entry) => trouble(entry),
  });
  onTestFinished(() => bus.close());
  const environment = { [ENVIRONMENT.eventBus]: own, [ENVIRONMENT.deliveryQueue]: orders.url };
  Object.assign(process.env, { AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint, AWS_ENDPOINT_URL_SQS: endpoint });
  return {
    services: { ...services, bus: connectEventBus(environment)(), queue: connectDeliveryQueue(environment)() },
    events: async () => (await events.take()).map((body) => Envelope.parse(body)),
    orders: async () => (await orders.take()).map((body) => Order.parse(body)),
    refuseEvents: (next) => {
      trouble = next;
    },
    removeQueue: orders.remove,
  };
}

const Order = z.object({
  organizationId: z.string(),
  hookId: z.string(),
  deliveryId: z.string(),
  attempt: z.number(),
});

async function ownQueue(endpoint: string, QueueName: string) {
  const url = `${endpoint}/000000000000/${QueueName}`;
  const call = async (operation: string, input: object): Promise<unknown> => {
    const { status, body } = await awsJsonRequest({ service: 'sqs', endpoint, operation, input });
    if (status !== 200) throw new Error(`${operation}: ${body}`);
    return JSON.parse(body);
  };
  await call('CreateQueue', { QueueName });
  const takeTen = async (): Promise<unknown[]> => {
    const answer = await call('ReceiveMessage', { QueueUrl: url, MaxNumberOfMessages: 10 });
    const { Messages } = Received.parse(answer);
    const Entries = Messages.map(({ ReceiptHandle }, place) => ({ Id: `${place}`, ReceiptHandle }));
    if (Entries.length > 0) await call('DeleteMessageBatch', { QueueUrl: url, Entries });
    return Messages.map(({ Body }): unknown => JSON.parse(Body));
  };
  return {
    url,
    arn: `arn:aws:sqs:us-east-1:000000000000:${QueueName}`,
    remove: async () => void (await call('DeleteQueue', { QueueUrl: url })),
    take: async () => {
      const all: unknown[] = [];
      for (let ten = await takeTen(); ten.length > 0; ten = await takeTen()) all.push(...ten);
      return all;
    },
  };
}
