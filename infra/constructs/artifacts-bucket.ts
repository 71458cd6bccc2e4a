/** The bucket for uploaded files, reports, caches and exports, and its notifications to queues. */
import { Aws, Duration, Fn, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, type LifecycleRule } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Environment } from '#infra/build/environments.ts';
import { CACHE_LIMITS } from '#shared/cache/limits.ts';
import { EXPORTS } from '#shared/model/analytics/exported-day.ts';
import { UPLOADS } from '#shared/model/results/artifact.ts';
import { CACHE } from '#shared/model/runs/cached-version.ts';
import { IMPORTS } from '#shared/model/runs/import.ts';
import { acknowledge } from './acknowledge.ts';
import { findCustomerKey } from './customer-key.ts';
import { getBucketResource } from './data-access.ts';

/** Unconfirmed uploads are kept longer than messages about uploads, even as dead letters. */
const UPLOADS_KEPT_DAYS = 30;

export const UPLOAD_FOLDERS = [
  { source: 'artifactUploaded', folder: UPLOADS },
  { source: 'reportUploaded', folder: IMPORTS },
] as const;

export function addArtifactsBucket(
  scope: Construct,
  { name, keepsData, deletedFilesDays }: Environment,
  kmsKey: string | undefined,
): Bucket {
  const encryptionKey = findCustomerKey(scope, 'Artifacts', kmsKey);
  const bucket = new Bucket(scope, 'Artifacts', {
    bucketName: formatBucketName({ name }),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    // With a key for the bucket, S3 asks KMS once in a while, and not for each object.
    ...(encryptionKey
      ? { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }
      : { encryption: BucketEncryption.S3_MANAGED }),
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: deletedFilesDays !== undefined,
    lifecycleRules: buildLifecycleRules(deletedFilesDays),
    // The trace viewer and the import form have another origin. The signature of each URL limits what they may do.
    cors: [
      { allowedMethods: [HttpMethods.GET, HttpMethods.HEAD], allowedOrigins: ['*'], allowedHeaders: ['range'] },
      { allowedMethods: [HttpMethods.PUT], allowedOrigins: ['*'], allowedHeaders: ['content-type'] },
    ],
    removalPolicy: keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  const reason =
    'Objects are reached only by short-lived presigned URLs; the access log of the API has the request behind each.';
  acknowledge(bucket, 'AwsSolutions-S1', reason);
  return bucket;
}

function buildLifecycleRules(deletedFilesDays: number | undefined): LifecycleRule[] {
  const isVersioned = deletedFilesDays !== undefined;
  // Deleted uploads and cached files are kept for only one day: if two rules apply to an object, S3 uses the shorter
  // period. A restored table does not need these objects: an upload is deleted when it has been confirmed or recorded,
  // or if that never happened in 30 days, and cached files can be created again.
  const soonGone = isVersioned ? { noncurrentVersionExpiration: Duration.days(1) } : {};
  const generalExpiry = isVersioned
    ? { noncurrentVersionExpiration: Duration.days(deletedFilesDays), expiredObjectDeleteMarker: true }
    : {};
  return [
    // Uploads are removed when they have been confirmed or recorded. This rule removes all other uploads.
    ...UPLOAD_FOLDERS.map(({ folder }) => ({
      prefix: `${folder}/`,
      expiration: Duration.days(UPLOADS_KEPT_DAYS),
      ...soonGone,
    })),
    // Cached files expire one day after their rows, so that no row points to a missing file.
    { prefix: `${CACHE}/`, expiration: Duration.days(CACHE_LIMITS.keptDays + 1), ...soonGone },
    // Exports can be made again, and replaced and deleted ones may contain deleted runs.
    ...(isVersioned ? [{ prefix: `${EXPORTS}/`, ...soonGone }] : []),
    // Aborts unfinished multipart uploads. If versioned, also removes deleted files and then their delete markers.
    { abortIncompleteMultipartUploadAfter: Duration.days(1), ...generalExpiry },
  ];
}

/** Sets the property directly, because the CDK's own notifications would deploy an extra function. */
export function notifyOfUploads(
  artifacts: Bucket,
  uploadQueues: ReadonlyArray<{ readonly queue: Queue; readonly folder: string }>,
  environment: Environment,
): void {
  for (const { queue } of uploadQueues)
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('s3.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: {
          ArnEquals: { 'aws:SourceArn': `arn:${Aws.PARTITION}:s3:::${formatBucketName(environment)}` },
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
        },
      }),
    );
  const bucket = getBucketResource(artifacts);
  bucket.notificationConfiguration = {
    // Only Put events cause notifications: confirming a file copies it, and a copy must not count as an upload.
    queueConfigurations: uploadQueues.map(({ queue, folder }) => ({
      event: 's3:ObjectCreated:Put',
      queue: queue.queueArn,
      filter: { s3Key: { rules: [{ name: 'prefix', value: `${folder}/` }] } },
    })),
  };
  // S3 sends a test message when notifications are configured, and rejects a queue that does not have its policy yet.
  for (const { queue } of uploadQueues) bucket.node.addDependency(queue);
}

/** Known in advance for the queue policy. The UUID of the stack lets a new bucket exist beside a retained one. */
const formatBucketName = ({ name }: Pick<Environment, 'name'>): string =>
  `rundown-${name}-${Fn.select(2, Fn.split('/', Aws.STACK_ID))}`;
