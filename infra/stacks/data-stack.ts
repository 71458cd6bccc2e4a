import { Aws, Duration, Fn, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { DeclaredConsumer } from '#infra/build/declarations.ts';
import type { Environment } from '#infra/build/environments.ts';
import { acknowledge } from '#infra/constructs/acknowledge.ts';
import { ALARM_PERIOD, addAlarm, type Watch } from '#infra/constructs/alarm.ts';
import { DataAccess, resourceOf } from '#infra/constructs/data-access.ts';
import type { DataResources } from '#infra/constructs/data-resources.ts';
import { Outlets } from '#infra/constructs/outlets.ts';
import { QueueWithDeadLetters } from '#infra/constructs/queue-with-dead-letters.ts';
import { CACHE_LIMITS } from '#shared/cache/limits.ts';
import type { RowKind } from '#shared/engine/table/entity.ts';
import { INDEXES, TABLE } from '#shared/engine/table/schema.ts';
import { UPLOADS } from '#shared/model/artifact.ts';
import { CACHE } from '#shared/model/cached-version.ts';
import { IMPORTS } from '#shared/model/import.ts';
import type { ConsumerDeclaration, Source } from '#shared/platform/consumer.ts';
import type { RestoredTable } from './settings.ts';

/** Uploads are kept for longer than messages about them, including dead letters. */
const UPLOADS_KEPT_DAYS = 30;

export interface DataStackProps extends Watch {
  readonly restoredTable: RestoredTable | undefined;
  readonly consumers: readonly DeclaredConsumer[];
  /** All row kinds of the table. */
  readonly rowKinds: readonly RowKind[];
}

/** The effect of late or failed messages, by source. Each text is a sentence without its full stop. */
const HARM: Readonly<Record<Source, string>> = {
  artifactUploaded: 'Uploaded files of a run are shown as missing',
  reportUploaded: 'Imported reports are not recorded',
  runEvent: 'Webhooks and notices about runs are not sent',
  runEnd: 'Ended runs count in analytics up to a minute later',
  delivery: 'Webhooks about runs arrive late or not at all',
  notice: 'Commit statuses, comments and Slack messages about runs arrive late or not at all',
};

/** The queues that learn of new objects, by folder. */
const NOTIFIED = [
  { source: 'artifactUploaded', folder: UPLOADS },
  { source: 'reportUploaded', folder: IMPORTS },
] as const;

/** The durable resources: the single table, the artifacts and the messages about them. */
export class DataStack extends NestedStack implements DataResources {
  readonly table: ITable;
  readonly artifacts: Bucket;
  readonly access: DataAccess;
  readonly outlets: Outlets;
  private readonly queues: ReadonlyMap<Source, QueueWithDeadLetters>;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id);
    const { environment, alarmTopic, consumers, restoredTable, rowKinds } = props;
    this.table = restoredTable
      ? Table.fromTableAttributes(this, 'Restored', restoredTable)
      : this.addTable(environment);
    this.artifacts = this.addArtifacts(environment);
    this.access = new DataAccess(this, 'Access', {
      environment,
      table: this.table,
      artifacts: this.artifacts,
      rowKinds,
    });
    this.queues = new Map(
      consumers.map(({ declaration }) => [declaration.source, this.addQueue(declaration, { environment, alarmTopic })]),
    );
    this.notifyOfUploads(environment);
    const [runEvents, runEnds] = [this.queues.get('runEvent'), this.queues.get('runEnd')];
    const [deliveries, notices] = [this.queues.get('delivery'), this.queues.get('notice')];
    this.outlets = new Outlets(this, 'Outlets', { environment, runEvents, runEnds, deliveries, notices });
    this.addAlarms({ environment, alarmTopic });
  }

  /** The queue of a consumer. */
  queueOf({ source }: ConsumerDeclaration): Queue {
    const made = this.queues.get(source);
    if (made === undefined) throw new Error(`The source ${source} has no queue: add the consumer to the stack's`);
    return made.queue;
  }

  private addQueue(
    { name, source, maxReceiveCount, timeoutSeconds, retrySeconds }: ConsumerDeclaration,
    surroundings: Watch,
  ): QueueWithDeadLetters {
    const harm = HARM[source];
    const props = { ...surroundings, name, maxReceiveCount, timeoutSeconds, retrySeconds, harm };
    return new QueueWithDeadLetters(this, name, props);
  }

  /** Uses the bucket's own setting. The CDK's notifications would deploy an extra function. */
  private notifyOfUploads(environment: Environment): void {
    const told = NOTIFIED.flatMap(({ source, folder }) => {
      const made = this.queues.get(source);
      return made ? [{ queue: made.queue, folder }] : [];
    });
    for (const { queue } of told) this.allowNotifications(queue, environment);
    const bucket = resourceOf(this.artifacts);
    bucket.notificationConfiguration = {
      // Confirming a file copies it. A copy has another event type, so it is not taken for an upload.
      queueConfigurations: told.map(({ queue, folder }) => ({
        event: 's3:ObjectCreated:Put',
        queue: queue.queueArn,
        filter: { s3Key: { rules: [{ name: 'prefix', value: `${folder}/` }] } },
      })),
    };
    // S3 sends a test message at configuration, and refuses a queue without its policy.
    for (const { queue } of told) bucket.node.addDependency(queue);
  }

  private allowNotifications(queue: Queue, environment: Environment): void {
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('s3.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: {
          ArnEquals: { 'aws:SourceArn': `arn:${Aws.PARTITION}:s3:::${bucketName(environment)}` },
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        },
      }),
    );
  }

  private addAlarms(watch: Watch): void {
    addAlarm(this, 'ThrottledReads', watch, {
      metric: this.table.metric('ReadThrottleEvents', { statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 10,
      harm: 'People reading results wait or get 5xx answers, because DynamoDB refuses reads.',
      runbook: 'throttled-reads',
    });
    addAlarm(this, 'ThrottledWrites', watch, {
      metric: this.table.metric('WriteThrottleEvents', { statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 10,
      harm: 'CI jobs that record results wait or fail, because DynamoDB refuses writes.',
      runbook: 'throttled-writes',
    });
  }

  private addTable({ keepsData, pointInTimeRecovery }: Environment): Table {
    const text = (name: string) => ({ name, type: AttributeType.STRING });
    const table = new Table(this, 'Table', {
      partitionKey: text(TABLE.partitionKey),
      sortKey: text(TABLE.sortKey),
      timeToLiveAttribute: TABLE.expiresAt,
      billingMode: BillingMode.PAY_PER_REQUEST,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery },
      deletionProtection: keepsData,
      // The table is retained also after a failed first deployment. Deletion protection would otherwise block the
      // rollback.
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const [indexName, { partitionKey, sortKey }] of Object.entries(INDEXES)) {
      table.addGlobalSecondaryIndex({ indexName, partitionKey: text(partitionKey), sortKey: text(sortKey) });
    }
    if (!pointInTimeRecovery) {
      const reason = 'Only dev has no recovery: its results may be lost, and are deleted with the stack.';
      acknowledge(table, 'AwsSolutions-DDB3', reason);
    }
    return table;
  }

  private addArtifacts({ name, keepsData }: Environment): Bucket {
    const bucket = new Bucket(this, 'Artifacts', {
      bucketName: bucketName({ name }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        // A confirmed file is removed by its retention, and an upload when it is confirmed. This rule removes missed
        // uploads.
        ...NOTIFIED.map(({ folder }) => ({ prefix: `${folder}/`, expiration: Duration.days(UPLOADS_KEPT_DAYS) })),
        // Rows expire first, so that no reader is sent to a missing file.
        { prefix: `${CACHE}/`, expiration: Duration.days(CACHE_LIMITS.keptDays + 1) },
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      // A trace viewer is a web page of another origin. The URL's signature limits what it may fetch.
      cors: [{ allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'], allowedHeaders: ['range'] }],
      removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    const reason =
      'Objects are reached by short-lived signed URLs only; the access log of the API has the request behind each.';
    acknowledge(bucket, 'AwsSolutions-S1', reason);
    return bucket;
  }
}

/**
 * The bucket's name is known before the bucket exists, so that the policy of its queue can name it. It ends in the
 * stack's UUID, so that a new
 * bucket can exist beside a retained one.
 */
const bucketName = ({ name }: Pick<Environment, 'name'>): string =>
  `rundown-${name}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`;
