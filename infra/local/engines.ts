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
  /** Whether anything will ask for queues. */
  readonly queues?: boolean;
}

export interface Engine {
  readonly endpoint: string;
  close(): Promise<void>;
}

export interface Engines {
  readonly dynamodbEndpoint: string;
  readonly s3Endpoint: string;
  readonly sqsEndpoint?: string;
  /** Stops what was started, and removes what was not to survive. */
  close(): Promise<void>;
}

/**
 * Starts the embedded engines on loopback. RUNDOWN_AWS_ENDPOINT (LocalStack, MiniStack, ...) replaces all of them.
 * Throws `CannotStart` where the platform has no embedded database.
 */
export async function startEngines({ dataDirectory, s3Port = 0, queues = false }: EngineOptions): Promise<Engines> {
  const external = process.env.RUNDOWN_AWS_ENDPOINT?.replace(/\/$/, '');
  if (external) {
    return { dynamodbEndpoint: external, s3Endpoint: external, sqsEndpoint: external, close: async () => {} };
  }
  const temporary = dataDirectory === undefined ? await mkdtemp(join(tmpdir(), 'rundown-')) : undefined;
  const directory = dataDirectory ?? temporary ?? '';
  const started: Engine[] = [];
  const close = async () => {
    await Promise.all(started.map((engine) => engine.close()));
    if (temporary) await rm(temporary, { recursive: true, force: true });
  };
  const start = async (engine: Promise<Engine>): Promise<string> => {
    const ready = await engine;
    started.push(ready);
    return ready.endpoint;
  };
  const starting = await Promise.allSettled([
    start(startDynamoDb(temporary ? undefined : join(directory, 'dynamodb.db'))),
    start(startS3(join(directory, 's3'), s3Port)),
    ...(queues ? [start(startSqs())] : []),
  ]);
  const failed = starting.find((result) => result.status === 'rejected');
  if (failed) {
    await close();
    throw failed.reason;
  }
  const [dynamodbEndpoint = '', s3Endpoint = '', sqsEndpoint] = starting.map((result) =>
    result.status === 'fulfilled' ? result.value : '',
  );
  return { dynamodbEndpoint, s3Endpoint, ...(sqsEndpoint && { sqsEndpoint }), close };
}
