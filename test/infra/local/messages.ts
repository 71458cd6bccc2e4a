/** Sends messages to the queues of the assembly in `assembly.ts`, and reads what its function noted about them. */
import * as z from 'zod';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';

type Environment = Readonly<Record<string, string>>;

const WORK = 'fixture-work';
const DEAD_LETTERS = 'fixture-dead-letters';

const Attributes = z.object({ Attributes: z.record(z.string(), z.string()) });
const SqsRecord = z.object({
  messageId: z.string(),
  body: z.string(),
  attributes: z.record(z.string(), z.string()),
  eventSourceARN: z.string(),
});
const Row = z.object({
  Item: z.object({ times: z.object({ N: z.coerce.number() }), record: z.object({ S: z.string() }) }).optional(),
});

interface Noted {
  readonly times: number;
  /** The message as the function last received it. */
  readonly record: z.infer<typeof SqsRecord> & Readonly<Record<string, unknown>>;
}

interface Messages {
  /** Sends all messages in one batch, so that they arrive together. */
  send(...orders: readonly object[]): Promise<void>;
  /** What the function noted about a message, or undefined if it has noted nothing yet. */
  noted(id: string): Promise<Noted | undefined>;
  /** Sets the visibility timeout of messages that are received from now on. */
  hideFor(seconds: number): Promise<void>;
  attributes(queue: 'work' | 'deadLetters', names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  remove(): Promise<void>;
  create(): Promise<void>;
  /** The number of messages in the queue, visible or not. */
  count(queue: 'work' | 'deadLetters'): Promise<number>;
}

export function messagesOf(environment: Environment, { tableName = 'rundown', queuePrefix = '' } = {}): Messages {
  const call = async (service: 'dynamodb' | 'sqs', operation: string, input: object): Promise<unknown> => {
    const endpoint = environment[`AWS_ENDPOINT_URL_${service.toUpperCase()}`] ?? '';
    const { status, body } = await sendAwsJsonRequest({ service, endpoint, operation, input });
    if (status !== 200) throw new Error(`The local ${service} refused ${operation}: ${body}`);
    return JSON.parse(body);
  };
  const url = (queue: 'work' | 'deadLetters') =>
    `${environment.AWS_ENDPOINT_URL_SQS}/000000000000/${queuePrefix}${queue === 'work' ? WORK : DEAD_LETTERS}`;
  const attributes: Messages['attributes'] = async (queue, AttributeNames) =>
    Attributes.parse(await call('sqs', 'GetQueueAttributes', { QueueUrl: url(queue), AttributeNames })).Attributes;
  return {
    send: async (...orders) => {
      const Entries = orders.map((order, Id) => ({ Id: `${Id}`, MessageBody: JSON.stringify(order) }));
      await call('sqs', 'SendMessageBatch', { QueueUrl: url('work'), Entries });
    },
    noted: async (id) => {
      const Key = { pk: { S: id }, sk: { S: 'row' } };
      const { Item } = Row.parse(await call('dynamodb', 'GetItem', { TableName: tableName, Key }));
      return Item && { times: Item.times.N, record: z.looseObject(SqsRecord.shape).parse(JSON.parse(Item.record.S)) };
    },
    hideFor: async (seconds) => {
      const Attributes = { VisibilityTimeout: `${seconds}` };
      await call('sqs', 'SetQueueAttributes', { QueueUrl: url('work'), Attributes });
    },
    remove: async () => void (await call('sqs', 'DeleteQueue', { QueueUrl: url('work') })),
    create: async () => void (await call('sqs', 'CreateQueue', { QueueName: `${queuePrefix}${WORK}` })),
    attributes,
    count: async (queue) => {
      const shown = await attributes(queue, ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible']);
      return Object.values(shown).reduce((sum, count) => sum + Number(count), 0);
    },
  };
}
