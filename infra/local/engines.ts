/** The stores behind the local service: embedded DynamoDB, S3 and SQS, or one endpoint that has them all. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDynamoDb } from './dynamodb.ts';
import { startS3 } from './s3.ts';
import { startSqs } from './sqs.ts';

interface EngineOptions {
  /** Where data survives a restart. Without it nothing does. */
  readonly dataDirectory?: string;
  /** Taken if it is free, so that links into S3 outlive a restart. */
  readonly s3Port?: number;
}

export interface Engine {
  readonly endpoint: string;
  close(): Promise<void>;
}

export interface Engines {
  readonly dynamodbEndpoint: string;
  readonly s3Endpoint: string;
  readonly sqsEndpoint: string;
  /** Stops what was started, and removes what was not to survive. */
  close(): Promise<void>;
}

/**
 * Starts the embedded engines on loopback. RUNDOWN_AWS_ENDPOINT (LocalStack, MiniStack, ...) replaces all of them.
 * Throws `CannotStart` where the platform has no embedded database.
 */
export async function startEngines({ dataDirectory, s3Port = 0 }: EngineOptions): Promise<Engines> {
  const external = process.env.RUNDOWN_AWS_ENDPOINT?.replace(/\/$/, '');
  if (external) {
    return { dynamodbEndpoint: external, s3Endpoint: external, sqsEndpoint: external, close: async () => {} };
  }
  const temporary = dataDirectory === undefined ? await mkdtemp(join(tmpdir(), 'rundown-')) : undefined;
  const directory = dataDirectory ?? temporary ?? '';
  const started: Engine[] = [];
  const close = async () => {
    // The last first: S3 still tells the queues of an upload that is under way.
    for (const engine of started.toReversed()) await engine.close();
    if (temporary) await rm(temporary, { recursive: true, force: true });
  };
  const start = async (engine: Promise<Engine>): Promise<string> => {
    const ready = await engine;
    started.push(ready);
    return ready.endpoint;
  };
  const startQueuesAndS3 = async () => {
    const sqsEndpoint = await start(startSqs(temporary ? undefined : join(directory, 'sqs')));
    const s3 = startS3({ directory: join(directory, 's3'), preferredPort: s3Port, sqsEndpoint });
    return { sqsEndpoint, s3Endpoint: await start(s3) };
  };
  const [dynamodb, others] = await Promise.allSettled([
    start(startDynamoDb(temporary ? undefined : join(directory, 'dynamodb.db'))),
    startQueuesAndS3(),
  ]);
  if (dynamodb.status === 'fulfilled' && others.status === 'fulfilled')
    return { dynamodbEndpoint: dynamodb.value, ...others.value, close };
  await close();
  throw dynamodb.status === 'rejected' ? dynamodb.reason : others.status === 'rejected' && others.reason;
}
