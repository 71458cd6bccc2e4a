/** The stores of the local service: embedded engines, or an external endpoint for DynamoDB, S3 and SQS. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpServer } from '#infra/local/host/http-server.ts';
import { startDynamoDb } from './dynamodb.ts';
import type { Engine } from './engine.ts';
import { startKms } from './kms.ts';
import { startS3 } from './s3.ts';
import { startSqs } from './sqs.ts';
import { startSsm } from './ssm.ts';

interface EngineOptions {
  /** Folder for persistent data. Default: all data is temporary. */
  readonly dataDirectory?: string;
  /** Server that also serves S3, so that S3 URLs stay valid after a restart. Default: a new server on a free port. */
  readonly server?: HttpServer;
}

export interface Endpoints {
  readonly dynamodbEndpoint: string;
  readonly s3Endpoint: string;
  readonly sqsEndpoint: string;
  /** The endpoint of the KMS, which signs access tokens. */
  readonly kmsEndpoint: string;
  /** The endpoint of the Parameter Store, which stores the credentials of notifications and issue trackers. */
  readonly ssmEndpoint: string;
}

export interface Engines extends Endpoints {
  /** Stops the embedded engines and deletes temporary data. */
  close(): Promise<void>;
}

/**
 * RUNDOWN_AWS_ENDPOINT (LocalStack, MiniStack, ...) replaces the embedded DynamoDB, S3 and SQS. Throws `CannotStart` if
 * the executable of the embedded DynamoDB is not found, or if a data file is damaged.
 */
export async function startEngines({ dataDirectory, server }: EngineOptions): Promise<Engines> {
  const externalEndpoint = process.env.RUNDOWN_AWS_ENDPOINT?.replace(/\/$/, '');
  const keyFile = dataDirectory && join(dataDirectory, 'signing-keys.json');
  const secretFile = dataDirectory && join(dataDirectory, 'secrets.json');
  const temporary = externalEndpoint || dataDirectory ? undefined : await mkdtemp(join(tmpdir(), 'rundown-'));
  const directory = dataDirectory ?? temporary ?? '';
  const engines: Engine[] = [];
  const close = async () => {
    // Engines close in reverse order, because S3 still sends the notifications of running uploads to the queues.
    for (const engine of engines.toReversed()) await engine.close();
    if (temporary) await rm(temporary, { recursive: true, force: true });
  };
  const start = async (engine: Promise<Engine>): Promise<string> => {
    const readyEngine = await engine;
    engines.push(readyEngine);
    return readyEngine.endpoint;
  };
  const startKeysAndSecrets = async () => {
    const ssmEndpoint = await start(startSsm(secretFile));
    return { ssmEndpoint, kmsEndpoint: await start(startKms(keyFile)) };
  };
  if (externalEndpoint) {
    const stores = { dynamodbEndpoint: externalEndpoint, s3Endpoint: externalEndpoint, sqsEndpoint: externalEndpoint };
    return { ...stores, ...(await startKeysAndSecrets()), close };
  }
  const startQueuesAndS3 = async () => {
    const sqsEndpoint = await start(startSqs(temporary ? undefined : join(directory, 'sqs')));
    const s3Endpoint = await start(startS3({ directory: join(directory, 's3'), sqsEndpoint, server }));
    return { sqsEndpoint, s3Endpoint, ...(await startKeysAndSecrets()) };
  };
  const [dynamodb, others] = await Promise.allSettled([
    start(startDynamoDb(temporary ? undefined : join(directory, 'dynamodb.db'))),
    startQueuesAndS3(),
  ]);
  if (dynamodb.status === 'fulfilled' && others.status === 'fulfilled')
    return { dynamodbEndpoint: dynamodb.value, ...others.value, close };
  // The engines that did start are stopped before the error is thrown.
  await close();
  if (dynamodb.status === 'rejected') throw dynamodb.reason;
  throw others.status === 'rejected' ? others.reason : undefined;
}
