/** Creates the template's table, buckets and queues in the engines, where they are not there yet. */
import * as z from 'zod';
import { type AwsAnswer, awsRequest } from './aws-request.ts';
import { CannotStart } from './cannot-start.ts';
import type { Engines } from './engines.ts';
import type { Resource, Stack } from './stack.ts';

export async function provision(stack: Stack, engines: Omit<Engines, 'close'>): Promise<void> {
  // The embedded engine looks through all records of its streams at each write: a stream that nobody reads slows it down.
  const streamed = stack.resourceTypes().has('AWS::Lambda::EventSourceMapping');
  await Promise.all([
    ...stack.resources('AWS::DynamoDB::Table').map((table) => createTable(table, engines.dynamodbEndpoint, streamed)),
    ...stack.resources('AWS::S3::Bucket').map((bucket) => createBucket(bucket, engines.s3Endpoint)),
    createQueues(stack.resources('AWS::SQS::Queue'), engines.sqsEndpoint),
  ]);
}

const Index = z.object({ IndexName: z.string() });

/** The properties of the resource that CreateTable takes under the same names. */
const TABLE_PROPERTIES = ['AttributeDefinitions', 'KeySchema', 'BillingMode', 'GlobalSecondaryIndexes'];

const Stream = z.object({ StreamViewType: z.string() });
const TimeToLive = z.object({ AttributeName: z.string(), Enabled: z.boolean() });

async function createTable(table: Resource, endpoint: string, streamed: boolean): Promise<void> {
  const TableName = table.reference;
  const wanted = Object.fromEntries(TABLE_PROPERTIES.map((name) => [name, table.property(name)]));
  const stream = Stream.optional().parse(table.property('StreamSpecification'));
  const answer = await dynamodb(endpoint, 'CreateTable', {
    TableName,
    ...wanted,
    ...(streamed && stream && { StreamSpecification: { StreamEnabled: true, ...stream } }),
  });
  if (isError(answer, 'ResourceInUseException')) return refuseOtherIndexes(table, endpoint);
  expectSuccess(answer, `the table ${TableName}`);
  const expiry = TimeToLive.optional().parse(table.property('TimeToLiveSpecification'));
  if (!expiry) return;
  const updated = await dynamodb(endpoint, 'UpdateTimeToLive', { TableName, TimeToLiveSpecification: expiry });
  expectSuccess(updated, `the expiry of ${TableName}`);
}

const Described = z.object({
  Table: z.object({ KeySchema: z.unknown(), GlobalSecondaryIndexes: z.array(Index).default([]) }),
});

/** An index that appears with an update is not built here as AWS would: reading it would find nothing. */
async function refuseOtherIndexes(table: Resource, endpoint: string): Promise<void> {
  const answer = await dynamodb(endpoint, 'DescribeTable', { TableName: table.reference });
  expectSuccess(answer, `the table ${table.reference}`);
  const { Table } = Described.parse(JSON.parse(answer.body));
  const there = Table.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).sort();
  const wanted = z.array(Index).default([]).parse(table.property('GlobalSecondaryIndexes'));
  const asked = wanted.map(({ IndexName }) => IndexName).sort();
  if (there.join() === asked.join()) return;
  throw new CannotStart(
    `The stored table has the indexes [${there}], this version needs [${asked}]. ` +
      'Run "npm run reset" to start empty, or start the version that wrote the data.',
  );
}

async function createBucket(bucket: Resource, endpoint: string): Promise<void> {
  const answer = await awsRequest({ service: 's3', endpoint, method: 'PUT', path: `/${bucket.reference}` });
  if (answer.status === 409 && answer.body.includes('BucketAlreadyOwnedByYou')) return;
  if (answer.status === 409 && answer.body.includes('BucketAlreadyExists')) return;
  expectSuccess(answer, `the bucket ${bucket.reference}`);
}

const Redrive = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() });

/** Dead-letter queues first: a queue that names a missing one is refused. */
async function createQueues(queues: readonly Resource[], endpoint: string | undefined): Promise<void> {
  if (queues.length > 0 && endpoint === undefined)
    throw new Error('The template has queues: start the engines with them');
  const isSource = (queue: Resource) => queue.property('RedrivePolicy') !== undefined;
  const deadLetterFirst = queues.toSorted((a, b) => Number(isSource(a)) - Number(isSource(b)));
  for (const queue of deadLetterFirst) await createQueue(queue, endpoint ?? '');
}

async function createQueue(queue: Resource, endpoint: string): Promise<void> {
  const redrive = Redrive.optional().parse(queue.property('RedrivePolicy'));
  const visibility = queue.property('VisibilityTimeout');
  const QueueName = new URL(queue.reference).pathname.split('/').at(-1);
  const answer = await json('sqs', endpoint, 'AmazonSQS.CreateQueue', 'application/x-amz-json-1.0', {
    QueueName,
    Attributes: {
      ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
      ...(visibility !== undefined && { VisibilityTimeout: String(visibility) }),
    },
  });
  expectSuccess(answer, `the queue ${QueueName}`);
}

const dynamodb = (endpoint: string, operation: string, input: object): Promise<AwsAnswer> =>
  json('dynamodb', endpoint, `DynamoDB_20120810.${operation}`, 'application/x-amz-json-1.0', input);

function json(
  service: 'dynamodb' | 'sqs',
  endpoint: string,
  target: string,
  contentType: string,
  input: object,
): Promise<AwsAnswer> {
  const headers = { 'content-type': contentType, 'x-amz-target': target };
  return awsRequest({ service, endpoint, method: 'POST', path: '/', headers, body: JSON.stringify(input) });
}

const isError = ({ status, body }: AwsAnswer, name: string): boolean => status === 400 && body.includes(name);

function expectSuccess({ status, body }: AwsAnswer, what: string): void {
  if (status >= 300) throw new Error(`Creating ${what} failed with ${status}: ${body}`);
}
