/** A table, an event bus and queues for one test. The test can read what was sent to the bus and the queues. */
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { type BusTrouble, startEventBus } from '#infra/local/events/event-bus.ts';
import type { BusEvent } from '#infra/local/events/event-rules.ts';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import type { Destinations } from '#shared/events/destinations.ts';
import { DomainEvent } from '#shared/model/events/domain-event.ts';
import type { DeliveryJob } from '#shared/model/events/outbox-content.ts';
import { connectDeliveryQueue, connectEventBus, connectNotificationQueue } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { CoreServices } from '#shared/services.ts';
import { type OwnTable, ownTable } from './own-table.ts';
import { findEngines } from './stage.ts';

const Received = z.object({
  Messages: z.array(z.object({ Body: z.string(), ReceiptHandle: z.string() })).default([]),
});
const Envelope = z.object({ source: z.string(), 'detail-type': z.string(), time: z.string(), detail: DomainEvent });

interface OwnDestinations extends Pick<OwnTable, 'environment'> {
  readonly services: CoreServices & Destinations;
  /** Returns the events that were published since the last call, in order. */
  readonly events: () => Promise<z.infer<typeof Envelope>[]>;
  /** Returns the webhook delivery jobs that were queued since the last call. */
  readonly jobs: () => Promise<DeliveryJob[]>;
  /** Returns the notification jobs that were queued since the last call. */
  readonly notificationJobs: () => Promise<DeliveryJob[]>;
  /** From now on, the bus refuses the events for which `trouble` returns a fault. */
  readonly refuseEvents: (trouble: BusTrouble) => void;
  /** Makes the delivery queue unavailable from now on. */
  readonly removeQueue: () => Promise<void>;
}

export async function ownDestinations(): Promise<OwnDestinations> {
  const { services, environment: ofTable } = await ownTable();
  const endpoint = (await findEngines()).sqsEndpoint;
  const own = `own-${crypto.randomUUID().slice(0, 8)}`;
  let trouble: BusTrouble = () => undefined;
  const events = await ownQueue(endpoint, `${own}-events`);
  const jobs = await ownQueue(endpoint, `${own}-jobs`);
  const notifications = await ownQueue(endpoint, `${own}-notifications`);
  const bus = await startEventBus({
    buses: new Set([own]),
    rules: [{ busName: own, matches: isRunEvent, queueArns: [events.arn] }],
    sqsEndpoint: endpoint,
    trouble: (entry) => trouble(entry),
  });
  onTestFinished(() => bus.close());
  const environment = {
    [ENVIRONMENT.eventBus]: own,
    [ENVIRONMENT.deliveryQueue]: jobs.url,
    [ENVIRONMENT.notificationQueue]: notifications.url,
  };
  Object.assign(process.env, { AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint, AWS_ENDPOINT_URL_SQS: endpoint });
  return {
    environment: ofTable,
    services: {
      ...services,
      bus: connectEventBus(environment)(),
      queue: connectDeliveryQueue(environment)(),
      notifications: connectNotificationQueue(environment)(),
    },
    events: async () => (await events.take()).map((body) => Envelope.parse(body)),
    notificationJobs: async () => (await notifications.take()).map((body) => DeliveryJobSchema.parse(body)),
    jobs: async () => (await jobs.take()).map((body) => DeliveryJobSchema.parse(body)),
    refuseEvents: (next) => {
      trouble = next;
    },
    removeQueue: jobs.remove,
  };
}

const DeliveryJobSchema = z.object({
  organizationId: z.string(),
  hookId: z.string(),
  deliveryId: z.string(),
  attempt: z.number(),
});

const TYPES: readonly string[] = ['RunStarted', 'RunEnded', 'RunDeleted'];

const isRunEvent = (event: BusEvent): boolean => TYPES.includes(event['detail-type']);

async function ownQueue(endpoint: string, QueueName: string) {
  const url = `${endpoint}/000000000000/${QueueName}`;
  const call = async (operation: string, input: object): Promise<unknown> => {
    const { status, body } = await sendAwsJsonRequest({ service: 'sqs', endpoint, operation, input });
    if (status !== 200) throw new Error(`The local SQS refused ${operation}: ${body}`);
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
