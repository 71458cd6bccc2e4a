/** The bucket of uploaded files, reports and caches, and the queues that learn of new objects in it. */
import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, type LifecycleRule } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { CACHE_LIMITS } from '#shared/cache/limits.ts';
import { CACHE } from '#shared/model/runs/cached-version.ts';
import { IMPORTS } from '#shared/model/runs/import.ts';
import { UPLOADS } from '#shared/model/tests/artifact.ts';
import { acknowledge } from './acknowledge.ts';
import { resourceOf } from './data-access.ts';

/** Uploads are kept for longer than messages about them, including dead letters. */
const UPLOADS_KEPT_DAYS = 30;

/** The folders of uploads, and the source of the messages about each. */
export const UPLOAD_FOLDERS = [
  { source: 'artifactUploaded', folder: UPLOADS },
  { source: 'reportUploaded', folder: IMPORTS },
] as const;

export function addArtifactsBucket(scope: Construct, { name, keepsData, deletedFilesDays }: Environment): Bucket {
  const bucket = new Bucket(scope, 'Artifacts', {
    bucketName: bucketName({ name }),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: deletedFilesDays !== undefined,
    lifecycleRules: lifecycleRules(deletedFilesDays),
    // A trace viewer and the form of imports are web pages of another origin. The URL's signature limits what they may
    // fetch and send.
    cors: [
      { allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'], allowedHeaders: ['range'] },
      { allowedMethods: [HttpMethods.PUT], allowedOrigins: ['*'], allowedHeaders: ['content-type'] },
    ],
    removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  const reason =
    'Objects are reached by short-lived signed URLs only; the access log of the API has the request behind each.';
  acknowledge(bucket, 'AwsSolutions-S1', reason);
  return bucket;
}

function lifecycleRules(deletedFilesDays: number | undefined): LifecycleRule[] {
  const isVersioned = deletedFilesDays !== undefined;
  // S3 applies the shorter of two rules. No restore needs these files: each was confirmed, recorded or can be made again.
  const soonGone = isVersioned ? { noncurrentVersionExpiration: Duration.days(1) } : {};
  const kept = isVersioned
    ? { noncurrentVersionExpiration: Duration.days(deletedFilesDays), expiredObjectDeleteMarker: true }
    : {};
  return [
    // A confirmed file is removed by its retention, and an upload when it is confirmed. This rule removes missed
    // uploads.
    ...UPLOAD_FOLDERS.map(({ folder }) => ({
      prefix: `${folder}/`,
      expiration: Duration.days(UPLOADS_KEPT_DAYS),
      ...soonGone,
    })),
    // Rows expire first, so that no reader is sent to a missing file.
    { prefix: `${CACHE}/`, expiration: Duration.days(CACHE_LIMITS.keptDays + 1), ...soonGone },
    // A deleted file leaves a marker, which goes after the last version of the file.
    { abortIncompleteMultipartUploadAfter: Duration.days(1), ...kept },
  ];
}

interface Notified {
  readonly queue: Queue;
  readonly folder: string;
}

/** Uses the bucket's own setting. The CDK's notifications would deploy an extra function. */
export function notifyOfUploads(artifacts: Bucket, notified: readonly Notified[], environment: Environment): void {
  for (const { queue } of notified) allowNotifications(queue, environment);
  const bucket = resourceOf(artifacts);
  bucket.notificationConfiguration = {
    // Confirming a file copies it. A copy has another event type, so it is not taken for an upload.
    queueConfigurations: notified.map(({ queue, folder }) => ({
      event: 's3:ObjectCreated:Put',
      queue: queue.queueArn,
      filter: { s3Key: { rules: [{ name: 'prefix', value: `${folder}/` }] } },
    })),
  };
  // S3 sends a test message at configuration, and refuses a queue without its policy.
  for (const { queue } of notified) bucket.node.addDependency(queue);
}

function allowNotifications(queue: Queue, environment: Environment): void {
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

/**
 * The bucket's name is known before the bucket exists, so that the policy of its queue can name it. It ends in the
 * stack's UUID, so that a new bucket can exist beside a retained one.
 */
const bucketName = ({ name }: Pick<Environment, 'name'>): string =>
  `rundown-${name}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`;
