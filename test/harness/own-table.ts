/** Gives a test its own empty table, for operations that scan the rows of all organizations. */
import { onTestFinished, vi } from 'vitest';
import { getAwsCredentials, sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import { REGION } from '#infra/local/template/physical-ids.ts';
import { TABLE } from '#shared/engine/table/schema.ts';
import { makeCoreServices } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import type { CoreServices } from '#shared/services.ts';
import { findEngines } from './stage.ts';

export interface OwnTable {
  readonly services: CoreServices;
  /** The environment variables that connect a process to the table. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Creates the table and stops the clock. `vi.setSystemTime` moves the clock. */
export async function ownTable(): Promise<OwnTable> {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-02T10:00:00.000Z') });
  onTestFinished(() => void vi.useRealTimers());
  const endpoint = (await findEngines()).dynamodbEndpoint;
  const TableName = `own-${crypto.randomUUID().slice(0, 8)}`;
  const call = async (operation: string, input: object) => {
    const { status, body } = await sendAwsJsonRequest({ service: 'dynamodb', endpoint, operation, input });
    if (status !== 200) throw new Error(`The local DynamoDB refused ${operation}: ${body}`);
  };
  const keys = [TABLE.partitionKey, TABLE.sortKey];
  await call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys.map((AttributeName, place) => ({ AttributeName, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
  });
  onTestFinished(() => call('DeleteTable', { TableName }));
  const { accessKeyId, secretAccessKey } = getAwsCredentials();
  const environment = {
    [ENVIRONMENT.tableName]: TableName,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  Object.assign(process.env, environment);
  return { services: makeCoreServices(environment), environment };
}
