import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadFunctions } from '#infra/build/declarations.ts';
import { PolicyDocument } from './policies.ts';
import { type Synthesized, synthesized } from './synthesized.ts';

let prod: Synthesized;
beforeAll(async () => {
  prod = await synthesized({ env: 'prod' });
});

const Notified = z.object({ Event: z.string(), Queue: z.unknown(), Filter: z.unknown() });

describe('uploads', () => {
  const bucket = () => prod.only('AWS::S3::Bucket');
  const uploads = () =>
    z
      .object({ QueueConfigurations: z.tuple([Notified], Notified) })
      .parse(bucket().Properties.NotificationConfiguration).QueueConfigurations[0];

  test('notify the confirmation queue, whose policy is created before the bucket', () => {
    const { Event, Queue: target } = uploads();
    expect(Event).toBe('s3:ObjectCreated:Put');
    expect(prod.target(target).Properties.QueueName).toBe('rundown-prod-confirmArtifact');
    const policy = prod
      .all('AWS::SQS::QueuePolicy')
      .find(({ Properties }) => JSON.stringify(Properties.Queues).includes(prod.target(target).id));
    expect(bucket().DependsOn).toContain(policy?.id);
  });

  test('Only S3 may send to the queue of uploads, and only for the bucket and the account of the deployment', () => {
    const policies = prod
      .all('AWS::SQS::QueuePolicy')
      .map(({ Properties }) => PolicyDocument.parse(Properties.PolicyDocument));
    const uploaded = prod.target(uploads().Queue).id;
    const allowed = policies
      .flatMap(({ Statement: all }) => all)
      .filter(({ Effect, Resource }) => Effect === 'Allow' && prod.target(Resource).id === uploaded);
    const { Queue: target } = uploads();
    const name = bucket().Properties.BucketName;
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
    const senders = [
      ...prod.all('AWS::IAM::Role'),
      ...prod.all('AWS::IAM::ManagedPolicy'),
      ...prod.all('AWS::IAM::Policy'),
    ]
      .map((identity) => JSON.stringify(identity))
      .filter((text) => text.includes('sqs:Send'));
    for (const text of senders) expect(text).not.toContain(uploaded);
  });

  test('Upload notifications need no helper function of the CDK', async () => {
    const declared = Object.values(await loadFunctions()).map(({ length }) => length);
    const all = declared.reduce((sum, length) => sum + length, 0);
    expect(prod.all('AWS::Lambda::Function')).toHaveLength(all + 1);
    expect(prod.text()).not.toContain('Custom::');
  });
});
