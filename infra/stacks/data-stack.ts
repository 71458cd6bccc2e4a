import { Aws, Duration, Fn, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { ConsumerDeclaration, Source } from '#shared/consumer.ts';
import { INDEXES, TABLE } from '#shared/table/schema.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { ALARM_PERIOD, addAlarm } from '../constructs/alarm.ts';
import { DataAccess, resourceOf } from '../constructs/data-access.ts';
import { Outlets } from '../constructs/outlets.ts';
import { QueueWithDeadLetters } from '../constructs/queue-with-dead-letters.ts';
import type { DeclaredConsumer } from '../declarations.ts';
import type { Environment } from '../environments.ts';

export interface DataStackProps {
  readonly environment: Environment;
  readonly alarmTopic: ITopic | undefined;
  readonly consumers: readonly DeclaredConsumer[];
}

/** Who is hurt when the messages of a source are late or cannot be handled: a sentence without its full stop. */
const WHO_IS_HURT: Readonly<Record<Source, string>> = {
  artifactUploaded: 'Readers of a run are told that files have not arrived which have',
  runEvent: 'Receivers of webhooks are not told of runs',
  delivery: 'Receivers of webhooks are told late of runs, or not at all',
};

/** What must not be lost: the single table, the artifacts and the messages about them. */
export class DataStack extends NestedStack {
  readonly table: Table;
  readonly artifacts: Bucket;
  readonly access: DataAccess;
  readonly outlets: Outlets;
  private readonly queues: ReadonlyMap<Source, QueueWithDeadLetters>;

  constructor(scope: Construct, id: string, { environment, alarmTopic, consumers }: DataStackProps) {
    super(scope, id);
    this.table = this.addTable(environment);
    this.artifacts = this.addArtifacts(environment);
    this.access = new DataAccess(this, 'Access', this.table, this.artifacts);
    this.queues = new Map(
      consumers.map(({ declaration }) => [declaration.source, this.addQueue(declaration, { environment, alarmTopic })]),
    );
    const uploads = this.queues.get('artifactUploaded');
    if (uploads) this.notifyOfUploads(uploads.queue, environment);
    const [runEvents, deliveries] = [this.queues.get('runEvent'), this.queues.get('delivery')];
    this.outlets = new Outlets(this, 'Outlets', { environment, runEvents, deliveries });
    this.addAlarms(alarmTopic);
  }

  /** Where a consumer's messages are. */
  queueOf({ source }: ConsumerDeclaration): Queue {
    const made = this.queues.get(source);
    if (made === undefined) throw new Error(`Nothing made a queue for ${source}: add the consumer to the stack's`);
    return made.queue;
  }

  private addQueue(
    { name, source, maxReceiveCount, timeoutSeconds }: ConsumerDeclaration,
    surroundings: Omit<DataStackProps, 'consumers'>,
  ): QueueWithDeadLetters {
    const whoIsHurt = WHO_IS_HURT[source];
    const props = { ...surroundings, name, maxReceiveCount, timeoutSeconds, whoIsHurt };
    return new QueueWithDeadLetters(this, name, props);
  }

  /** By the bucket's own setting: the CDK's notifications would deploy a function of its own to do this. */
  private notifyOfUploads(queue: Queue, environment: Environment): void {
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
    const bucket = resourceOf(this.artifacts);
    bucket.notificationConfiguration = {
      queueConfigurations: [{ event: 's3:ObjectCreated:*', queue: queue.queueArn }],
    };
    // S3 sends a test message when it is told, and refuses a queue whose policy is not there yet.
    bucket.node.addDependency(queue);
  }

  private addAlarms(alarmTopic: ITopic | undefined): void {
    addAlarm(this, 'ThrottledReads', alarmTopic, {
      metric: this.table.metric('ReadThrottleEvents', { statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 10,
      whoIsHurt: 'People reading results wait or get 5xx answers, because DynamoDB refuses reads.',
      runbook: 'throttled-reads',
    });
    addAlarm(this, 'ThrottledWrites', alarmTopic, {
      metric: this.table.metric('WriteThrottleEvents', { statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 10,
      whoIsHurt: 'CI jobs recording results are held up or fail, because DynamoDB refuses writes.',
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
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const [indexName, { partitionKey, sortKey }] of Object.entries(INDEXES)) {
      table.addGlobalSecondaryIndex({ indexName, partitionKey: text(partitionKey), sortKey: text(sortKey) });
    }
    if (!pointInTimeRecovery) {
      const reason = 'Only dev goes without recovery: its results may be lost, and go when its stack goes.';
      acknowledge(table, 'AwsSolutions-DDB3', reason);
    }
    return table;
  }

  private addArtifacts({ name, keepsData, artifactRetentionDays }: Environment): Bucket {
    const bucket = new Bucket(this, 'Artifacts', {
      bucketName: bucketName({ name }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        { expiration: Duration.days(artifactRetentionDays), abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      // A trace viewer is a web page of another origin; what it may fetch is decided by the signature in the URL.
      cors: [{ allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'], allowedHeaders: ['range'] }],
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const reason =
      'Objects are reached by short-lived signed URLs only; the access log of the API has the request behind each.';
    acknowledge(bucket, 'AwsSolutions-S1', reason);
    return bucket;
  }
}

/**
 * Known before the bucket is made, so that the policy of its queue, which must be there first, can name it. Ends in the
 * stack's own UUID, so that it can be made anew beside one that was kept.
 */
const bucketName = ({ name }: Pick<Environment, 'name'>): string =>
  `rundown-${name}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`;
