import { NestedStack } from 'aws-cdk-lib';
import { type ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { DeclaredConsumer } from '#infra/build/declarations.ts';
import type { KeyedRowKind } from '#infra/build/key-patterns.ts';
import { type AlarmTarget, addAlarm, SUM } from '#infra/constructs/alarm.ts';
import { addArtifactsBucket, notifyOfUploads, UPLOAD_FOLDERS } from '#infra/constructs/artifacts-bucket.ts';
import { DataAccess } from '#infra/constructs/data-access.ts';
import { Outlets } from '#infra/constructs/outlets.ts';
import { QueueWithDeadLetters } from '#infra/constructs/queue-with-dead-letters.ts';
import type { DataResources } from '#infra/constructs/surroundings.ts';
import { addTable } from '#infra/constructs/table.ts';
import type { ConsumerDeclaration } from '#shared/platform/consumer.ts';
import type { MessageSource } from '#shared/platform/outlets.ts';
import type { RestoredTableSettings, Settings } from './settings.ts';

export interface DataStackProps extends AlarmTarget {
  readonly restoredTable: RestoredTableSettings | undefined;
  readonly tableClass: Settings['tableClass'];
  readonly kmsKey: string | undefined;
  readonly consumers: readonly DeclaredConsumer[];
  readonly rowKinds: readonly KeyedRowKind[];
}

/** The effect of late or failed messages, by source. Each text is a sentence without the period at its end. */
const HARM: Readonly<Record<MessageSource, string>> = {
  artifactUploaded: 'Uploaded files of a run are shown as missing',
  reportUploaded: 'Imported reports are not recorded',
  runEvent: 'Webhooks and notifications about runs are not sent',
  runEnd: 'Analytics include ended runs late, and badges and issues may miss them',
  delivery: 'Webhooks about runs arrive late or not at all',
  notification: 'Notifications about runs arrive late or not at all',
};

export class DataStack extends NestedStack implements DataResources {
  readonly table: ITable;
  readonly artifacts: Bucket;
  readonly access: DataAccess;
  readonly outlets: Outlets;
  private readonly queues: ReadonlyMap<MessageSource, QueueWithDeadLetters>;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id);
    const { environment, alarmTopics, consumers, restoredTable, rowKinds, kmsKey } = props;
    this.table = restoredTable
      ? Table.fromTableAttributes(this, 'Restored', restoredTable)
      : addTable(this, 'Table', environment, props);
    this.artifacts = addArtifactsBucket(this, environment, kmsKey);
    this.access = new DataAccess(this, 'Access', {
      environment,
      table: this.table,
      artifacts: this.artifacts,
      rowKinds,
      kmsKey,
    });
    this.queues = new Map(
      consumers.map(({ declaration: { name, source, maxReceiveCount, timeoutSeconds, retrySeconds } }) => {
        const limits = { maxReceiveCount, timeoutSeconds, retrySeconds };
        const harm = HARM[source];
        const queue = { environment, alarmTopics, kmsKey, name, ...limits, harm };
        return [source, new QueueWithDeadLetters(this, name, queue)];
      }),
    );
    const uploadQueues = UPLOAD_FOLDERS.flatMap(({ source, folder }) => {
      const pair = this.queues.get(source);
      return pair ? [{ queue: pair.queue, folder }] : [];
    });
    notifyOfUploads(this.artifacts, uploadQueues, environment);
    this.outlets = new Outlets(this, 'Outlets', { environment, queues: this.queues });
    addAlarm(this, 'ThrottledReads', props, {
      metric: this.table.metric('ReadThrottleEvents', SUM),
      threshold: 10,
      harm: 'Reading results is slow or returns 5xx, because DynamoDB throttles reads.',
      runbook: 'throttled-reads',
    });
    addAlarm(this, 'ThrottledWrites', props, {
      metric: this.table.metric('WriteThrottleEvents', SUM),
      threshold: 10,
      harm: 'CI jobs that record results wait or fail, because DynamoDB throttles writes.',
      runbook: 'throttled-writes',
    });
  }

  queueOf({ source }: ConsumerDeclaration): Queue {
    const pair = this.queues.get(source);
    if (pair === undefined)
      throw new Error(
        `No queue receives messages from the source ${source}: add its consumer to the consumers of the data stack`,
      );
    return pair.queue;
  }
}
