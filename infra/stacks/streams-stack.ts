import { Duration, NestedStack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import type { DeclaredStream } from '#infra/build/declarations.ts';
import { acknowledge } from '#infra/constructs/acknowledge.ts';
import { addAlarm, MAXIMUM } from '#infra/constructs/alarm.ts';
import { buildKeyStatements } from '#infra/constructs/customer-key.ts';
import { addToSharedMetric } from '#infra/constructs/log-metrics.ts';
import { addDeadLetters } from '#infra/constructs/queue-with-dead-letters.ts';
import { RundownFunction } from '#infra/constructs/rundown-function.ts';
import type { Surroundings } from '#infra/constructs/surroundings.ts';
import { TABLE } from '#shared/engine/table/schema.ts';
import type { StreamDeclaration } from '#shared/platform/stream.ts';

/** Small, because a failed row ends its batch, and the remaining rows need another invocation. */
const ROWS_PER_CALL = 10;
/** Rows are then skipped, so that they do not block later rows. */
const RETRIES = { attempts: 10, recordAge: Duration.minutes(10) };
const LATE_AFTER = Duration.minutes(5);

export interface StreamsStackProps extends Surroundings {
  readonly streams: readonly DeclaredStream[];
}

/** One function per file in `functions/streams`. The DynamoDB stream of the table invokes it with new rows. */
export class StreamsStack extends NestedStack {
  constructor(scope: Construct, id: string, { streams, ...surroundings }: StreamsStackProps) {
    super(scope, id);
    const { tableStreamArn: eventSourceArn } = surroundings.data.table;
    if (eventSourceArn === undefined) throw new Error('The table has no stream: enable it in the data stack');
    for (const { file, declaration } of streams) {
      const { name } = declaration;
      const harm = `Background work is late (${declaration.summary})`;
      const { fn, logGroup } = new RundownFunction(this, name, {
        ...surroundings,
        ...declaration,
        file,
        statements: [allowStreamReads(eventSourceArn)],
      });
      addToSharedMetric(this, `${name}Failures`, 'failures', { ...surroundings, logGroup });
      addAlarm(this, `${name}Age`, surroundings, {
        subject: name,
        metric: fn.metric('IteratorAge', MAXIMUM),
        threshold: LATE_AFTER.toMilliseconds(),
        harm: `${harm}: the stream is ${LATE_AFTER.toMinutes()} minutes behind.`,
        runbook: 'late-stream',
      });
      const passedOver = addDeadLetters(this, `${name}PassedOver`, {
        ...surroundings,
        kmsKey: surroundings.settings.kmsKey,
        name: `${name}-passed-over`,
        subject: name,
        harm: `${harm}: rows failed at every attempt, and the stream skipped them.`,
        runbook: 'passed-over-rows',
      });
      acknowledge(passedOver, 'AwsSolutions-SQS3', 'Lambda puts skipped rows here; no function consumes the queue.');
      const toPassedOver = new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [passedOver.queueArn] });
      for (const statement of buildKeyStatements(surroundings.settings.kmsKey, [toPassedOver]))
        fn.addToRolePolicy(statement);
      new EventSourceMapping(this, `${name}Source`, {
        target: fn,
        eventSourceArn,
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [FilterCriteria.filter(filterNewRows(declaration))],
        batchSize: ROWS_PER_CALL,
        bisectBatchOnError: false,
        reportBatchItemFailures: true,
        retryAttempts: RETRIES.attempts,
        maxRecordAge: RETRIES.recordAge,
        onFailure: new SqsDlq(passedOver),
      });
    }
  }
}

const filterNewRows = ({ rows }: StreamDeclaration) => ({
  eventName: FilterRule.isEqual('INSERT'),
  dynamodb: { Keys: { [TABLE.partitionKey]: { S: FilterRule.beginsWith(rows) } } },
});

/**
 * Lambda demands `ListStreams` as well. The action has no resource, so this grant has no effect, but AWS grants it on
 * the stream too, and a grant on `*` would be larger:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html
 */
const allowStreamReads = (streamArn: string): PolicyStatement =>
  new PolicyStatement({
    actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
    resources: [streamArn],
  });
