import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import type { AlarmTopics } from './alarm.ts';
import { findCustomerKey } from './customer-key.ts';
import { formatPhysicalName } from './physical-name.ts';

interface TopicSettings {
  readonly alarmEmail?: string | undefined;
  readonly warningEmail?: string | undefined;
  readonly kmsKey?: string | undefined;
}

/** Two topics, so that a pager can subscribe to the urgent alarms alone. */
export const addAlarmTopics = (
  scope: Construct,
  environment: Environment,
  { alarmEmail, warningEmail = alarmEmail, kmsKey }: TopicSettings,
): AlarmTopics => ({
  urgent: addAlarmTopic(scope, 'Alarms', environment, { email: alarmEmail, kmsKey }),
  warning: addAlarmTopic(scope, 'Warnings', environment, { email: warningEmail, kmsKey }),
});

function addAlarmTopic(
  scope: Construct,
  id: 'Alarms' | 'Warnings',
  environment: Environment,
  { email, kmsKey }: { readonly email: string | undefined; readonly kmsKey: string | undefined },
): Topic {
  const masterKey = findCustomerKey(scope, id, kmsKey);
  const topic = new Topic(scope, id, {
    topicName: formatPhysicalName(environment, id.toLowerCase()),
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
  if (email) topic.addSubscription(new EmailSubscription(email));
  return topic;
}
