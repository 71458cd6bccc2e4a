import { NestedStack } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { DeclaredConsumer } from '#infra/build/declarations.ts';
import { ALARM_PERIOD, type AlarmTarget, addAlarm, SUM } from '#infra/constructs/alarm.ts';
import { addToSharedMetric, LogMetrics } from '#infra/constructs/log-metrics.ts';
import { RundownFunction } from '#infra/constructs/rundown-function.ts';
import type { Surroundings } from '#infra/constructs/surroundings.ts';
import type { ConsumerDeclaration } from '#shared/platform/consumer.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { type MessageSource, QUEUE_OUTLETS } from '#shared/platform/outlets.ts';
import type { DataStack } from './data-stack.ts';
import type { Settings } from './settings.ts';

/** The minimum number of delivery attempts in five minutes for a failure rate to be meaningful. */
const RATED_ATTEMPTS = 20;
const FAILED_PERCENT = 50;

export interface ConsumersStackProps extends Surroundings {
  readonly data: DataStack;
  readonly consumers: readonly DeclaredConsumer[];
  readonly settings: Settings;
}

/** Consumers send jobs that exceed the fair share of their organization back to their own queue. */
const canTriggerItself = ({ source, sends = [] }: ConsumerDeclaration): boolean =>
  sends.some((outlet) => outlet !== 'eventBus' && QUEUE_OUTLETS[outlet] === source);

const SENDERS: readonly MessageSource[] = ['delivery', 'notification'];

/** One function per file of `functions/queues`. The queues themselves are in the data stack. */
export class ConsumersStack extends NestedStack {
  constructor(scope: Construct, id: string, { consumers, ...surroundings }: ConsumersStackProps) {
    super(scope, id);
    const { environment, settings } = surroundings;
    for (const { file, declaration } of consumers) {
      const { name, source, metrics = [] } = declaration;
      const queue = surroundings.data.queueOf(declaration);
      const { fn, logGroup } = new RundownFunction(this, name, {
        ...surroundings,
        ...declaration,
        file,
        triggersItself: canTriggerItself(declaration),
        variables: { [ENVIRONMENT.callsInTotal]: String(settings.consumerConcurrency) },
        statements: [allowPolling(queue)],
        network: SENDERS.includes(source) ? settings.network : undefined,
      });
      const logMetrics = new LogMetrics(this, `${name}Metrics`, { environment, name, logGroup, numbers: metrics });
      addToSharedMetric(this, `${name}Failures`, 'failures', { environment, logGroup });
      this.addAlarms(declaration, logMetrics, surroundings);
      new EventSourceMapping(this, `${name}Source`, {
        target: fn,
        eventSourceArn: queue.queueArn,
        batchSize: declaration.messagesPerCall,
        // Keeps a flood of messages from overloading the table and from using up the concurrency of the account.
        maxConcurrency: settings.consumerConcurrency,
        reportBatchItemFailures: true,
      });
    }
  }

  private addAlarms(
    { name, source, metrics = [] }: ConsumerDeclaration,
    logMetrics: LogMetrics,
    watch: AlarmTarget,
  ): void {
    const sum = (number: string) => logMetrics.find(number).metric(SUM);
    if (source === 'delivery') {
      // §6 A single failing receiver is the problem of its owner. Many at the same time are for the operator.
      const attempts = '(FILL(failed, 0) + FILL(delivered, 0))';
      addAlarm(this, 'FailingDeliveries', watch, {
        metric: new MathExpression({
          expression: `IF(${attempts} >= ${RATED_ATTEMPTS}, 100 * FILL(failed, 0) / ${attempts}, 0)`,
          usingMetrics: { failed: sum('failed'), delivered: sum('delivered') },
          period: ALARM_PERIOD,
        }),
        threshold: FAILED_PERCENT,
        periods: 3,
        harm: `Webhooks do not arrive: at least ${FAILED_PERCENT} % of all delivery attempts failed.`,
        runbook: 'failing-deliveries',
      });
      // §6 The settings of the project show the reason, but people might not look at these settings.
      addAlarm(this, 'DisabledWebhooks', watch, {
        metric: sum('disabled'),
        threshold: 1,
        harm: 'A webhook was disabled: its receiver failed for five days, or answered 410 Gone.',
        runbook: 'disabled-webhooks',
      });
    }
    // Admins can see the reason on the notifications page, but they might not look at that page.
    if (source === 'notification')
      addAlarm(this, 'DisabledNotifications', watch, {
        metric: sum('disabled'),
        threshold: 1,
        harm: 'A notification was disabled, so its receiver gets nothing anymore: it rejected a message, or failed for five days.',
        runbook: 'disabled-notifications',
      });
    // Damaged results are left out of analytics, and no page shows that they are missing.
    if (metrics.includes('incomplete'))
      addAlarm(this, 'DamagedResults', watch, {
        subject: name,
        metric: sum('incomplete'),
        threshold: 1,
        harm: 'Analytics miss the tests of a spec file, because its stored results are damaged.',
        runbook: 'damaged-results',
      });
  }
}

/** Lambda polls with these permissions. The code of the function does not use them. */
const allowPolling = ({ queueArn }: Queue): PolicyStatement =>
  new PolicyStatement({
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    resources: [queueArn],
  });
