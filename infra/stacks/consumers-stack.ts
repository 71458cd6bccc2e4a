import { NestedStack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '../bundle.ts';
import { LogMetrics } from '../constructs/log-metrics.ts';
import { RundownFunction, type Surroundings } from '../constructs/rundown-function.ts';
import type { DeclaredConsumer } from '../declarations.ts';

/** Bounds what a flood of messages takes from the table and from the account's concurrent functions. */
const FUNCTIONS_AT_ONCE = 10;

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
      const { environment } = surroundings;
      new LogMetrics(this, `${name}Metrics`, { environment, name, logGroup, numbers: metrics });
      new EventSourceMapping(this, `${name}Source`, {
        target: fn,
        eventSourceArn: queue.queueArn,
        batchSize: messagesPerCall,
        maxConcurrency: FUNCTIONS_AT_ONCE,
        reportBatchItemFailures: true,
      });
    }
  }
}

/** What Lambda does on the function's behalf: the function itself never calls SQS. */
const consume = ({ queueArn }: Queue): PolicyStatement =>
  new PolicyStatement({
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    resources: [queueArn],
  });
