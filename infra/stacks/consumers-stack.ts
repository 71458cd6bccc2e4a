import { NestedStack } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '../bundle.ts';
import { ALARM_PERIOD, addAlarm } from '../constructs/alarm.ts';
import { LogMetrics } from '../constructs/log-metrics.ts';
import { RundownFunction, type Surroundings } from '../constructs/rundown-function.ts';
import type { DeclaredConsumer } from '../declarations.ts';

/** Bounds what a flood of messages takes from the table and from the account's concurrent functions. */
const FUNCTIONS_AT_ONCE = 10;

/** Of the attempts to deliver of five minutes: fewer say little. */
const RATED_ATTEMPTS = 20;
const FAILED_PERCENT = 50;

export interface ConsumersStackProps extends Surroundings {
  readonly consumers: readonly DeclaredConsumer[];
  readonly bundles: Bundles;
}

/** One function per queue, for each file of `functions/queues`. The queues themselves are data. */
export class ConsumersStack extends NestedStack {
  constructor(scope: Construct, id: string, { consumers, bundles, ...surroundings }: ConsumersStackProps) {
    super(scope, id);
    for (const { file, declaration } of consumers) {
      const { name, summary, access, sends, timeoutSeconds, messagesPerCall, metrics = [] } = declaration;
      const queue = surroundings.data.queueOf(declaration);
      const { fn, logGroup } = new RundownFunction(this, name, {
        ...surroundings,
        name,
        bundle: bundleOf(bundles, file),
        access,
        sends,
        timeoutSeconds,
        statements: [consume(queue)],
        errors: {
          whoIsHurt: `Work that nobody waits for is late (${summary}): batches of messages failed as a whole.`,
        },
      });
      const { environment, alarmTopic } = surroundings;
      const measured = new LogMetrics(this, `${name}Metrics`, { environment, name, logGroup, numbers: metrics });
      if (declaration.source === 'delivery') {
        this.addFailureRate(measured, alarmTopic);
        this.addDisabled(measured, alarmTopic);
      }
      new EventSourceMapping(this, `${name}Source`, {
        target: fn,
        eventSourceArn: queue.queueArn,
        batchSize: messagesPerCall,
        maxConcurrency: FUNCTIONS_AT_ONCE,
        reportBatchItemFailures: true,
      });
    }
  }

  /** §6 One receiver that is down is its owner's; most of them at once are ours. */
  private addFailureRate(measured: LogMetrics, alarmTopic: ITopic | undefined): void {
    const sum = (number: string) => measured.of(number).metric({ statistic: 'Sum', period: ALARM_PERIOD });
    const [failed, attempts] = ['FILL(failed, 0)', '(FILL(failed, 0) + FILL(delivered, 0))'];
    addAlarm(this, 'FailingDeliveries', alarmTopic, {
      metric: new MathExpression({
        expression: `IF(${attempts} >= ${RATED_ATTEMPTS}, 100 * ${failed} / ${attempts}, 0)`,
        usingMetrics: { failed: sum('failed'), delivered: sum('delivered') },
        period: ALARM_PERIOD,
      }),
      threshold: FAILED_PERCENT,
      periods: 3,
      whoIsHurt: `Receivers of webhooks are not told of runs: at least ${FAILED_PERCENT} % of all attempts to deliver failed.`,
      runbook: 'failing-deliveries',
    });
  }

  /** §6 Nothing else tells the owner that a webhook is silent from now on. */
  private addDisabled(measured: LogMetrics, alarmTopic: ITopic | undefined): void {
    addAlarm(this, 'DisabledWebhooks', alarmTopic, {
      metric: measured.of('disabled').metric({ statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 1,
      whoIsHurt:
        'The owner of a webhook is told of no run any more: its receiver failed for five days, or said that it is gone.',
      runbook: 'disabled-webhooks',
    });
  }
}

/** What Lambda does on the function's behalf: the function itself never calls SQS. */
const consume = ({ queueArn }: Queue): PolicyStatement =>
  new PolicyStatement({
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    resources: [queueArn],
  });
