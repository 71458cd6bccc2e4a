import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadFunctions } from '#infra/build/declarations.ts';
import { PolicyDocument, statementsOf } from './policies.ts';
import { type Named, type Synthesized, synthesized } from './synthesized.ts';

let prod: Synthesized;
beforeAll(async () => {
  prod = await synthesized({ env: 'prod' });
});

const Queue = z.object({
  QueueName: z.string(),
  MessageRetentionPeriod: z.number(),
  VisibilityTimeout: z.number().optional(),
  RedrivePolicy: z.object({ deadLetterTargetArn: z.unknown(), maxReceiveCount: z.number() }).optional(),
});

/** A direct reference to a resource of the template. */
const One = z.union([z.object({ Ref: z.string() }), z.object({ 'Fn::GetAtt': z.array(z.string()) })]);
const Destination = z.object({
  DestinationConfig: z.object({ OnFailure: z.object({ Destination: z.unknown() }) }).optional(),
});

const idOf = (resource: unknown): string => {
  const parsed = One.safeParse(resource);
  return parsed.success ? prod.target(parsed.data).id : '';
};

const queues = () => prod.all('AWS::SQS::Queue').map(({ id, Properties }) => ({ id, ...Queue.parse(Properties) }));
const sources = () =>
  queues().flatMap(({ RedrivePolicy, ...queue }) => (RedrivePolicy ? [{ ...queue, RedrivePolicy }] : []));
const deadLettersOf = ({ RedrivePolicy }: ReturnType<typeof sources>[number]) => {
  const { id, Properties } = prod.target(RedrivePolicy.deadLetterTargetArn);
  return { id, ...Queue.parse(Properties) };
};
const streamDeadLetters = () =>
  prod.all('AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) => {
    const { DestinationConfig } = Destination.parse(Properties);
    return DestinationConfig ? [prod.target(DestinationConfig.OnFailure.Destination).id] : [];
  });
const mapping = (name: string): Named => {
  const found = prod.all('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => {
    return prod.target(Properties.FunctionName).Properties.FunctionName === `rundown-prod-${name}`;
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`${name} has ${found.length} event sources`);
  return only;
};

describe('a queue', () => {
  test('has a dead-letter queue, or is the dead-letter queue of exactly one queue or stream', () => {
    const dead = [...sources().map((queue) => deadLettersOf(queue).id), ...streamDeadLetters()];
    expect(new Set(dead).size).toBe(dead.length);
    expect([...sources().map(({ id }) => id), ...dead].sort()).toEqual(
      queues()
        .map(({ id }) => id)
        .sort(),
    );
  });

  test('A dead-letter queue keeps its messages longer than the queue from which they come', () => {
    for (const queue of sources()) {
      expect(deadLettersOf(queue).MessageRetentionPeriod).toBeGreaterThan(queue.MessageRetentionPeriod);
    }
  });

  test('is encrypted and reachable over TLS only', () => {
    for (const { Properties } of prod.all('AWS::SQS::Queue')) expect(Properties.SqsManagedSseEnabled).toBe(true);
    const refused = prod.all('AWS::SQS::QueuePolicy').map(({ Properties }) => {
      const deny = PolicyDocument.parse(Properties.PolicyDocument).Statement.find(({ Effect }) => Effect === 'Deny');
      expect(deny).toMatchObject({
        Action: ['sqs:*'],
        Principal: { AWS: '*' },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      });
      return prod.target(deny?.Resource).id;
    });
    expect(refused.sort()).toEqual(
      queues()
        .map(({ id }) => id)
        .sort(),
    );
  });

  test('has an alarm for dead letters and an alarm for old messages', () => {
    const watched = prod.all('AWS::CloudWatch::Alarm').flatMap(({ Properties }) => {
      const dimensions = z.array(z.object({ Name: z.string(), Value: z.unknown() })).parse(Properties.Dimensions ?? []);
      const [queue] = dimensions.filter(({ Name }) => Name === 'QueueName');
      return queue ? [`${Properties.MetricName} ${prod.target(queue.Value).id}`] : [];
    });
    const wanted = sources().flatMap((queue) => [
      `ApproximateNumberOfMessagesVisible ${deadLettersOf(queue).id}`,
      `ApproximateAgeOfOldestMessage ${queue.id}`,
    ]);
    const ofStreams = streamDeadLetters().map((id) => `ApproximateNumberOfMessagesVisible ${id}`);
    expect(watched.sort()).toEqual([...wanted, ...ofStreams].sort());
  });
});

describe('a consumer', () => {
  test('has the queue, the timeout and the number of attempts that it declares', async () => {
    const { consumers } = await loadFunctions();
    expect(consumers.length).toBe(sources().length);
    for (const { declaration } of consumers) {
      const { EventSourceArn, FunctionName } = mapping(declaration.name).Properties;
      const queue = Queue.parse(prod.target(EventSourceArn).Properties);
      expect(queue.QueueName).toBe(`rundown-prod-${declaration.name}`);
      expect(queue.RedrivePolicy?.maxReceiveCount).toBe(declaration.maxReceiveCount);
      expect(prod.target(FunctionName).Properties.Timeout).toBe(declaration.timeoutSeconds);
      const { timeoutSeconds, retrySeconds = 6 * timeoutSeconds } = declaration;
      expect(queue.VisibilityTimeout).toBe(retrySeconds);
      // A message must not be delivered again while it is still being handled.
      expect(retrySeconds).toBeGreaterThan(timeoutSeconds);
    }
  });

  test('reports which messages of a batch failed, and runs at most 10 times concurrently', async () => {
    for (const { declaration } of (await loadFunctions()).consumers) {
      expect(mapping(declaration.name).Properties).toMatchObject({
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BatchSize: declaration.messagesPerCall,
        ScalingConfig: { MaximumConcurrency: 10 },
      });
    }
  });

  test('may receive only from its own queue, and send only to the queues that it declares', async () => {
    for (const { declaration } of (await loadFunctions()).consumers) {
      const { EventSourceArn, FunctionName } = mapping(declaration.name).Properties;
      const ofQueues = statementsOf(prod, prod.target(FunctionName))
        .flatMap(({ Action, Resource }) =>
          Action.flatMap((action) => [Resource].flat().map((one) => `${action} ${idOf(one)}`)),
        )
        .filter((allowed) => allowed.startsWith('sqs:'));
      const own = prod.target(EventSourceArn).id;
      const targets = {
        deliveryQueue: 'deliverWebhook',
        notificationQueue: 'deliverNotification',
        fileQueue: 'confirmArtifact',
        reportQueue: 'recordReport',
        eventBus: undefined,
      };
      const take = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'].map((one) => `${one} ${own}`);
      const send = (declaration.sends ?? []).flatMap((target) => {
        const consumer = targets[target];
        return consumer ? `sqs:SendMessage ${prod.target(mapping(consumer).Properties.EventSourceArn).id}` : [];
      });
      expect(ofQueues.sort(), declaration.name).toEqual([...take, ...send].sort());
    }
  });
});

test('Only functions that send to their own queue are exempt from the recursive loop detection of Lambda', () => {
  const allowed = prod
    .all('AWS::Lambda::Function')
    .filter(({ Properties }) => Properties['RecursiveLoop'] === 'Allow')
    .map(({ Properties }) => String(Properties['FunctionName']).split('-').at(-1));
  expect(allowed.sort()).toEqual(['confirmArtifact', 'deliverNotification', 'deliverWebhook', 'recordReport']);
});
