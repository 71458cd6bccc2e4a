/** Creates the template's tables, buckets and queues if they are missing. Updates existing buckets and queues. */
import * as z from 'zod';
import { type AwsAnswer, sendAwsJsonRequest, sendAwsRequest } from '#infra/local/host/aws-request.ts';
import { CannotStart } from '#infra/local/host/cannot-start.ts';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';
import type { Endpoints } from './engines.ts';
import { formatNotificationXml, NotificationConfiguration } from './s3-notifications.ts';

/** Values that need no escaping in XML. */
const names = z.array(z.string().regex(/^[^<&]*$/));

const CorsConfiguration = z.strictObject({
  CorsRules: z.array(z.strictObject({ AllowedOrigins: names, AllowedMethods: names, AllowedHeaders: names })),
});

/** The body of PutBucketCors. */
const formatCorsXml = ({ CorsRules }: z.infer<typeof CorsConfiguration>): string =>
  `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${CorsRules.map(
    ({ AllowedOrigins, AllowedMethods, AllowedHeaders }) =>
      `<CORSRule>${[
        ...AllowedOrigins.map((origin) => `<AllowedOrigin>${origin}</AllowedOrigin>`),
        ...AllowedMethods.map((method) => `<AllowedMethod>${method}</AllowedMethod>`),
        ...AllowedHeaders.map((header) => `<AllowedHeader>${header}</AllowedHeader>`),
      ].join('')}</CORSRule>`,
  ).join('')}</CORSConfiguration>`;

export async function createStores(stack: Stack, engines: Endpoints): Promise<void> {
  const buckets = stack
    .resources('AWS::S3::Bucket')
    .map((bucket) => ({ bucket, notifications: readNotifications(bucket) }));
  const createBuckets = async () => {
    // Queues are created first, because S3 rejects notifications to a queue that does not exist. Dead-letter queues come
    // before other queues, because SQS rejects a redrive policy with a missing queue.
    const isSource = (queue: StackResource) => queue.property('RedrivePolicy') !== undefined;
    const queues = stack.resources('AWS::SQS::Queue').sort((a, b) => Number(isSource(a)) - Number(isSource(b)));
    for (const queue of queues) await createQueue(queue, engines.sqsEndpoint);
    for (const { bucket, notifications } of buckets) await createBucket(bucket, notifications, engines.s3Endpoint);
  };
  await Promise.all([
    ...stack.resources('AWS::DynamoDB::Table').map((table) => createTable(table, engines.dynamodbEndpoint)),
    createBuckets(),
  ]);
}

const Index = z.object({ IndexName: z.string() });

/** Template properties that have the same names in CreateTable requests. */
const TABLE_PROPERTIES = ['AttributeDefinitions', 'KeySchema', 'BillingMode', 'GlobalSecondaryIndexes'];

const TimeToLive = z.object({ AttributeName: z.string(), Enabled: z.boolean() });

/** Creates a table without its stream: with a stream, the embedded engine scans all stream records at each write. */
async function createTable(table: StackResource, endpoint: string): Promise<void> {
  const TableName = table.reference;
  const properties = Object.fromEntries(TABLE_PROPERTIES.map((name) => [name, table.property(name)]));
  const answer = await callDynamodb(endpoint, 'CreateTable', { TableName, ...properties });
  if (isError(answer, 'ResourceInUseException')) return refuseOtherIndexes(table, endpoint);
  expectSuccess(answer, `the table ${TableName}`);
  const expiry = TimeToLive.optional().parse(table.property('TimeToLiveSpecification'));
  if (!expiry) return;
  const expiryAnswer = await callDynamodb(endpoint, 'UpdateTimeToLive', { TableName, TimeToLiveSpecification: expiry });
  expectSuccess(expiryAnswer, `the expiry of ${TableName}`);
}

const Described = z.object({
  Table: z.object({ KeySchema: z.unknown(), GlobalSecondaryIndexes: z.array(Index).default([]) }),
});

/** Refuses other indexes than the template's: unlike AWS, the engine would not backfill a new index. */
async function refuseOtherIndexes(table: StackResource, endpoint: string): Promise<void> {
  const answer = await callDynamodb(endpoint, 'DescribeTable', { TableName: table.reference });
  expectSuccess(answer, `the table ${table.reference}`);
  const { Table } = Described.parse(JSON.parse(answer.body));
  const storedNames = Table.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort();
  const indexes = z.array(Index).default([]).parse(table.property('GlobalSecondaryIndexes'));
  const expectedNames = indexes.map(({ IndexName }) => IndexName).sort();
  if (storedNames.join() === expectedNames.join()) return;
  throw new CannotStart(
    `The stored table has the indexes [${storedNames}], but this version of Rundown needs [${expectedNames}]. ` +
      'To start empty, run "npm run reset", or delete the table if you use RUNDOWN_AWS_ENDPOINT. To keep the data, start the version of Rundown that wrote the data',
  );
}

async function createBucket(
  bucket: StackResource,
  notifications: NotificationConfiguration,
  endpoint: string,
): Promise<void> {
  const s3 = (query: Readonly<Record<string, string>>, body = '') =>
    sendAwsRequest({ service: 's3', endpoint, method: 'PUT', path: `/${bucket.reference}`, query, body });
  const answer = await s3({});
  const alreadyExists = answer.status === 409 && /BucketAlready(OwnedByYou|Exists)/.test(answer.body);
  if (!alreadyExists) expectSuccess(answer, `the bucket ${bucket.reference}`);
  expectSuccess(
    await s3({ notification: '' }, formatNotificationXml(notifications)),
    `the notifications of ${bucket.reference}`,
  );
  const cors = CorsConfiguration.optional().parse(bucket.property('CorsConfiguration'));
  if (cors) expectSuccess(await s3({ cors: '' }, formatCorsXml(cors)), `the CORS rules of ${bucket.reference}`);
}

function readNotifications(bucket: StackResource): NotificationConfiguration {
  const result = NotificationConfiguration.safeParse(
    bucket.property('NotificationConfiguration') ?? { QueueConfigurations: [] },
  );
  if (result.success) return result.data;
  throw new Error(
    `The local runner supports only notifications of new objects to queues, but ${bucket.logicalId} has other notifications: ${z.prettifyError(result.error)}`,
  );
}

const Redrive = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() });

/** Template properties that have the same names as SQS queue attributes. */
const QUEUE_PROPERTIES = ['VisibilityTimeout', 'MessageRetentionPeriod'];

/** SQS refuses to create an existing queue with different attributes. A second call then updates the attributes. */
async function createQueue(queue: StackResource, endpoint: string): Promise<void> {
  const QueueName = new URL(queue.reference).pathname.split('/').at(-1);
  const sqs = (operation: string, input: object) => sendAwsJsonRequest({ service: 'sqs', endpoint, operation, input });
  const redrive = Redrive.optional().parse(queue.property('RedrivePolicy'));
  const properties = QUEUE_PROPERTIES.map((name) => [name, queue.property(name)] as const);
  const Attributes = {
    ...Object.fromEntries(properties.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))),
    ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
  };
  const createAnswer = await sqs('CreateQueue', { QueueName, Attributes });
  if (!isError(createAnswer, 'QueueNameExists')) return expectSuccess(createAnswer, `the queue ${QueueName}`);
  const updateAnswer = await sqs('SetQueueAttributes', { QueueUrl: queue.reference, Attributes });
  expectSuccess(updateAnswer, `the attributes of ${QueueName}`);
}

const callDynamodb = (endpoint: string, operation: string, input: object): Promise<AwsAnswer> =>
  sendAwsJsonRequest({ service: 'dynamodb', endpoint, operation, input });

const isError = ({ status, body }: AwsAnswer, name: string): boolean => status === 400 && body.includes(name);

function expectSuccess({ status, body }: AwsAnswer, what: string): void {
  if (status >= 300) throw new Error(`Setting up ${what} failed with status ${status}: ${body}`);
}
