/** An app with Rundown, a second receiver of its alarms, and a queue that hears of ended runs. */
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Rundown } from 'rundown-cdk';

const app = new App();
const stack = new Stack(app, 'TestResults', { terminationProtection: true });
const rundown = new Rundown(stack, 'Rundown', { environment: 'prod' });

rundown.alarmTopic?.addSubscription(new UrlSubscription('https://pager.example.com/rundown'));

const endedRuns = new Queue(stack, 'EndedRuns', { enforceSSL: true });
new Rule(stack, 'OnRunEnded', {
  eventBus: rundown.eventBus,
  eventPattern: { source: ['rundown'], detailType: ['RunEnded'] },
  targets: [new SqsQueue(endedRuns)],
});

new CfnOutput(stack, 'Pages', { value: rundown.url });
