/** Direct access to the service's queues. */
import * as z from 'zod';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';

const Counted = z.object({ Attributes: z.record(z.string(), z.coerce.number()) });

interface TestQueue {
  readonly send: (body: string) => Promise<void>;
  /** The number of messages, including those in flight but not those that are delayed. */
  readonly count: () => Promise<number>;
  readonly deadLetters: () => Promise<number>;
  /** Sets the visibility timeout, after which failed messages are delivered again. */
  readonly retryAfter: (seconds: number) => Promise<void>;
  /** Delays messages that are sent from now on. */
  readonly delay: (seconds: number) => Promise<void>;
}

/** Returns the queue of this consumer. `environment` is the environment that `service()` returns. */
export function queueOf(environment: Readonly<Record<string, string>>, consumer: string): TestQueue {
  const { AWS_ENDPOINT_URL_SQS: endpoint = '', TABLE_NAME } = environment;
  const url = `${endpoint}/000000000000/${TABLE_NAME}-rundown-dev-${consumer}`;
  const call = async (operation: string, input: object): Promise<unknown> => {
    const { status, body } = await sendAwsJsonRequest({ service: 'sqs', endpoint, operation, input });
    if (status !== 200) throw new Error(`The local SQS refused ${operation}: ${body}`);
    return JSON.parse(body);
  };
  const countOf = async (QueueUrl: string): Promise<number> => {
    const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
    const { Attributes } = Counted.parse(await call('GetQueueAttributes', { QueueUrl, AttributeNames }));
    return Object.values(Attributes).reduce((sum, count) => sum + count, 0);
  };
  return {
    send: async (MessageBody) => void (await call('SendMessage', { QueueUrl: url, MessageBody })),
    count: () => countOf(url),
    deadLetters: () => countOf(`${url}-dead-letters`),
    delay: async (seconds) => {
      await call('SetQueueAttributes', { QueueUrl: url, Attributes: { DelaySeconds: `${seconds}` } });
    },
    retryAfter: async (seconds) => {
      await call('SetQueueAttributes', { QueueUrl: url, Attributes: { VisibilityTimeout: `${seconds}` } });
    },
  };
}
