/** A table of the test's own, for what looks at all organizations there are: empty at first, gone afterwards. */
import { inject, onTestFinished, vi } from 'vitest';
import { awsJsonRequest, credentials } from '#infra/local/aws-request.ts';
import { REGION } from '#infra/local/physical-ids.ts';
import { ENVIRONMENT } from '#shared/environment.ts';
import { type Administration, administration } from '#shared/services.ts';
import { TABLE } from '#shared/table/schema.ts';

export interface OwnTable {
  readonly services: Administration;
  /** What a process needs to work on it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** With a clock that stands still: `vi.setSystemTime` moves it. */
export async function ownTable(): Promise<OwnTable> {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-02T10:00:00.000Z') });
  onTestFinished(() => void vi.useRealTimers());
  const endpoint = inject('engines').dynamodbEndpoint;
  const TableName = `own-${crypto.randomUUID().slice(0, 8)}`;
  const call = async (operation: string, input: object) => {
    const { status, body } = await awsJsonRequest({ service: 'dynamodb', endpoint, operation, input });
    if (status !== 200) throw new Error(`${operation}: ${body}`);
  };
  const keys = [TABLE.partitionKey, TABLE.sortKey];
  await call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys.map((AttributeName, place) => ({ AttributeName, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
  });
  onTestFinished(() => call('DeleteTable', { TableName }));
  const { accessKeyId, secretAccessKey } = credentials();
  const environment = {
    [ENVIRONMENT.tableName]: TableName,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  Object.assign(process.env, environment);
  return { services: administration(environment), environment };
}
