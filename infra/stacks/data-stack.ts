import { Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { INDEXES, TABLE } from '#shared/table/schema.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { ALARM_PERIOD, addAlarm } from '../constructs/alarm.ts';
import { DataAccess } from '../constructs/data-access.ts';
import type { Environment } from '../environments.ts';

export interface DataStackProps {
  readonly environment: Environment;
  readonly alarmTopic: ITopic | undefined;
}

/** What must not be lost: the single table and the artifacts. */
export class DataStack extends NestedStack {
  readonly table: Table;
  readonly artifacts: Bucket;
  readonly access: DataAccess;

  constructor(scope: Construct, id: string, { environment, alarmTopic }: DataStackProps) {
    super(scope, id);
    this.table = this.addTable(environment);
    this.artifacts = this.addArtifacts(environment);
    this.access = new DataAccess(this, 'Access', this.table, this.artifacts);
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

  private addArtifacts({ keepsData, artifactRetentionDays }: Environment): Bucket {
    const bucket = new Bucket(this, 'Artifacts', {
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
