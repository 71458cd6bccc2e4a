import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PolicyDocument } from './policies.ts';
import { type Synthesized, synthesized } from './synthesized.ts';

let prod: Synthesized;
beforeAll(async () => {
  prod = await synthesized({ env: 'prod' });
});

const Holders = z.object({ Queues: z.array(z.unknown()).default([]), Topics: z.array(z.unknown()).default([]) });
const Service = z.object({ Service: z.string() });

/** Returns the AWS services that the policies of queues and topics allow, each with its condition. */
const admitted = () =>
  ['AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy'].flatMap((type) =>
    prod.all(type).flatMap(({ Properties }) => {
      const { Queues, Topics } = Holders.parse(Properties);
      const allowed = PolicyDocument.parse(Properties.PolicyDocument).Statement.filter(
        ({ Effect }) => Effect === 'Allow',
      );
      return [...Queues, ...Topics].flatMap((holder) =>
        allowed.map(({ Principal, Action, Condition }) => ({
          holder: prod.target(holder).id,
          service: Service.parse(Principal).Service,
          actions: Action,
          condition: JSON.stringify(Condition),
        })),
      );
    }),
  );

const admits = (service: string, holder: unknown): boolean =>
  admitted().some((one) => one.service === service && one.holder === prod.target(holder).id);

describe('a resource policy', () => {
  test('The policies of both alarm topics allow CloudWatch to publish alarms of this environment and account', () => {
    const alarms = prod.all('AWS::CloudWatch::Alarm');
    expect(alarms.length).toBeGreaterThan(0);
    for (const { id, Properties } of alarms) {
      const actions = z.array(z.unknown()).parse(Properties.AlarmActions);
      expect(
        actions.map((topic) => admits('cloudwatch.amazonaws.com', topic)),
        id,
      ).toEqual([true]);
    }
    const ofAlarms = admitted().filter(({ service }) => service === 'cloudwatch.amazonaws.com');
    expect(ofAlarms).toHaveLength(2);
    for (const { actions, condition } of ofAlarms) {
      expect(actions).toEqual(['sns:Publish']);
      expect(condition).toContain('"StringEquals":{"aws:SourceAccount":{"Ref":"AWS::AccountId"}}');
      expect(condition).toContain(':alarm:rundown-prod-*');
    }
  });

  test('The policies of the queues for uploads and for reports allow S3 to send messages', () => {
    const Notified = z.object({ QueueConfigurations: z.array(z.object({ Queue: z.unknown() })) });
    const { QueueConfigurations } = Notified.parse(prod.only('AWS::S3::Bucket').Properties.NotificationConfiguration);
    expect(QueueConfigurations.map(({ Queue }) => admits('s3.amazonaws.com', Queue))).toEqual([true, true]);
  });

  test('The policies of all targets of the event bus and of their dead-letter queues allow EventBridge to send messages', () => {
    const Targets = z.array(z.object({ Arn: z.unknown(), DeadLetterConfig: z.object({ Arn: z.unknown() }) }));
    const targets = prod.all('AWS::Events::Rule').flatMap(({ Properties }) => Targets.parse(Properties.Targets));
    expect(targets.length).toBeGreaterThan(0);
    for (const { Arn, DeadLetterConfig } of targets) {
      expect(admits('events.amazonaws.com', Arn)).toBe(true);
      expect(admits('events.amazonaws.com', DeadLetterConfig.Arn)).toBe(true);
    }
  });

  test('Each resource policy allows an AWS service to act only for a given source ARN', () => {
    for (const { holder, condition } of admitted()) expect(condition, holder).toContain('"aws:SourceArn"');
  });
});
