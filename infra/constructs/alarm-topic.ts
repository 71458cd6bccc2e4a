import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { findCustomerKey } from './customer-key.ts';
import { formatPhysicalName } from './physical-name.ts';

export function addAlarmTopic(
  scope: Construct,
  environment: Environment,
  { alarmEmail, kmsKey }: { readonly alarmEmail?: string | undefined; readonly kmsKey?: string | undefined },
): Topic {
  const masterKey = findCustomerKey(scope, 'Alarms', kmsKey);
  const topic = new Topic(scope, 'Alarms', {
    topicName: formatPhysicalName(environment, 'alarms'),
    enforceSSL: true,
    ...(masterKey ? { masterKey } : {}),
  });
  // `enforceSSL` gives the topic a policy. It replaces the default policy, which would let CloudWatch publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        ArnLike: {
          'aws:SourceArn': `arn:${Aws.PARTITION}:cloudwatch:${Aws.REGION}:${Aws.ACCOUNT_ID}:alarm:${formatPhysicalName(environment, '*')}`,
        },
      },
    }),
  );
  if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}
