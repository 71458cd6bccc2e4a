import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadFunctions } from '#infra/declarations.ts';
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
const Statement = z.object({
  Effect: z.string(),
  Action: z.union([z.string(), z.array(z.string())]).transform((action) => [action].flat()),
  Principal: z.unknown().optional(),
  Resource: z.unknown(),
  Condition: z.unknown().optional(),
});
const Document = z.object({ Statement: z.array(Statement) });
const Role = z.object({ Policies: z.array(z.object({ PolicyDocument: Document })) });

const queues = () => prod.all('AWS::SQS::Queue').map(({ id, Properties }) => ({ id, ...Queue.parse(Properties) }));
const sources = () =>
  queues().flatMap(({ RedrivePolicy, ...queue }) => (RedrivePolicy ? [{ ...queue, RedrivePolicy }] : []));
const deadLettersOf = ({ RedrivePolicy }: ReturnType<typeof sources>[number]) => {
  const { id, Properties } = prod.target(RedrivePolicy.deadLetterTargetArn);
  return { id, ...Queue.parse(Properties) };
};
const mapping = (name: string): Named => {
  const found = prod.all('AWS::Lambda::EventSourceMapping').filter(({ Properties }) => {
    return prod.target(Properties.FunctionName).Properties.FunctionName === `rundown-prod-${name}`;
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`${name} has ${found.length} event sources`);
  return only;
};

describe('a queue', () => {
  test('is the source of a dead-letter queue or is one, and of its own', () => {
    const dead = sources().map((queue) => deadLettersOf(queue).id);
    expect(new Set(dead).size).toBe(dead.length);
    expect([...sources().map(({ id }) => id), ...dead].sort()).toEqual(
      queues()
        .map(({ id }) => id)
        .sort(),
    );
  });

  test('gives its dead letters more time than it gives its own messages', () => {
    for (const queue of sources()) {
      expect(deadLettersOf(queue).MessageRetentionPeriod).toBeGreaterThan(queue.MessageRetentionPeriod);
    }
  });

  test('is encrypted and reached over TLS only', () => {
    for (const { Properties } of prod.all('AWS::SQS::Queue')) expect(Properties.SqsManagedSseEnabled).toBe(true);
    const refused = prod.all('AWS::SQS::QueuePolicy').map(({ Properties }) => {
      const deny = Document.parse(Properties.PolicyDocument).Statement.find(({ Effect }) => Effect === 'Deny');
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

  test('is watched: by one alarm for its dead letters, by another for messages that wait', () => {
    const watched = prod.all('AWS::CloudWatch::Alarm').flatMap(({ Properties }) => {
      const dimensions = z.array(z.object({ Name: z.string(), Value: z.unknown() })).parse(Properties.Dimensions ?? []);
      const [queue] = dimensions.filter(({ Name }) => Name === 'QueueName');
      return queue ? [`${Properties.MetricName} ${prod.target(queue.Value).id}`] : [];
    });
    const wanted = sources().flatMap((queue) => [
      `ApproximateNumberOfMessagesVisible ${deadLettersOf(queue).id}`,
      `ApproximateAgeOfOldestMessage ${queue.id}`,
    ]);
    expect(watched.sort()).toEqual(wanted.sort());
  });
});

describe('a consumer', () => {
  test('has the queue, the time and the number of attempts it declares', async () => {
    const { consumers } = await loadFunctions();
    expect(consumers.length).toBe(sources().length);
    for (const { declaration } of consumers) {
      const { EventSourceArn, FunctionName } = mapping(declaration.name).Properties;
      const queue = Queue.parse(prod.target(EventSourceArn).Properties);
      expect(queue.QueueName).toBe(`rundown-prod-${declaration.name}`);
      expect(queue.RedrivePolicy?.maxReceiveCount).toBe(declaration.maxReceiveCount);
      expect(prod.target(FunctionName).Properties.Timeout).toBe(declaration.timeoutSeconds);
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * declaration.timeoutSeconds);
    }
  });

  test('is told one by one which messages failed, and runs a bounded number of times at once', () => {
    for (const { Properties } of prod.all('AWS::Lambda::EventSourceMapping')) {
      expect(Properties).toMatchObject({
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: 10 },
      });
    }
  });

  test('may take messages from its own queue, and nothing else of SQS', async () => {
    for (const { declaration } of (await loadFunctions()).consumers) {
      const { EventSourceArn, FunctionName } = mapping(declaration.name).Properties;
      const role = Role.parse(prod.target(prod.target(FunctionName).Properties.Role).Properties);
      const ofQueues = role.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).filter(({ Action }) =>
        Action.some((action) => action.startsWith('sqs:')),
      );
      expect(ofQueues).toHaveLength(1);
      expect(ofQueues[0]?.Action.toSorted()).toEqual([
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ReceiveMessage',
      ]);
      expect(prod.target(ofQueues[0]?.Resource).id).toBe(prod.target(EventSourceArn).id);
    }
  });
});

describe('uploads', () => {
  const bucket = () => prod.only('AWS::S3::Bucket');
  const uploads = () =>
    z
      .object({ QueueConfigurations: z.tuple([z.object({ Event: z.string(), Queue: z.unknown() })]) })
      .parse(bucket().Properties.NotificationConfiguration).QueueConfigurations[0];

  test('of every file are told to the queue that confirms them, once its policy is there', () => {
    const { Event, Queue: target } = uploads();
    expect(Event).toBe('s3:ObjectCreated:*');
    expect(prod.target(target).Properties.QueueName).toBe('rundown-prod-confirmArtifact');
    const policy = prod
      .all('AWS::SQS::QueuePolicy')
      .find(({ Properties }) => JSON.stringify(Properties.Queues).includes(prod.target(target).id));
    expect(bucket().DependsOn).toContain(policy?.id);
  });

  test('are all that may be sent: by S3, for this bucket, in this account', () => {
    const policies = prod
      .all('AWS::SQS::QueuePolicy')
      .map(({ Properties }) => Document.parse(Properties.PolicyDocument));
    const allowed = policies.flatMap(({ Statement: all }) => all.filter(({ Effect }) => Effect === 'Allow'));
    const [{ Queue: target }, name] = [uploads(), bucket().Properties.BucketName];
    const [, parts] = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }).parse(name)['Fn::Join'];
    const [prefix, unique] = parts;
    expect(allowed).toEqual([
      {
        Effect: 'Allow',
        Action: ['sqs:SendMessage'],
        Principal: { Service: 's3.amazonaws.com' },
        Resource: target,
        Condition: {
          ArnEquals: {
            'aws:SourceArn': { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:s3:::${prefix}`, unique]] },
          },
          StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        },
      },
    ]);
    const identities = [...prod.all('AWS::IAM::Role'), ...prod.all('AWS::IAM::ManagedPolicy')];
    expect(JSON.stringify(identities)).not.toContain('sqs:Send');
  });

  test('need no function of the CDK: all functions of the template are declared', async () => {
    const { endpoints, consumers, schedules } = await loadFunctions();
    const declared = endpoints.length + consumers.length + schedules.length;
    expect(prod.all('AWS::Lambda::Function')).toHaveLength(declared + 1);
    expect(prod.text()).not.toContain('Custom::');
  });
});
