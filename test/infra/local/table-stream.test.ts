import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import { startService } from '#infra/local/service.ts';
import { withResource } from './changed-assembly.ts';
import { localService } from './local-service.ts';

const running = localService();

const mapping = (tableName: string) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    EventSourceArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}/stream/local`,
    FunctionName: 'fixture-work',
    BatchSize: 10,
    StartingPosition: 'TRIM_HORIZON',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 2,
    MaximumRecordAgeInSeconds: 60,
    FilterCriteria: {
      Filters: [
        {
          Pattern: JSON.stringify({
            eventName: ['INSERT'],
            dynamodb: { Keys: { pk: { S: [{ prefix: 'OUTBOX#' }] } } },
          }),
        },
      ],
    },
  },
});

/** Serves the fixture with a function that receives new rows. Returns functions that write rows and read its notes. */
async function table(tableName: string) {
  const names = { tableName, bucketName: tableName, queuePrefix: `${tableName}-` };
  const { engines } = running();
  const assembly = await withResource('Rows', mapping(tableName));
  const faults: string[] = [];
  const start = () => startService({ assembly, engines, onFault: (line) => faults.push(line), ...names });
  const service = await start();
  onTestFinished(service.close);
  const call = async (operation: string, input: object): Promise<unknown> => {
    const endpoint = engines.dynamodbEndpoint;
    const answer = await sendAwsJsonRequest({ service: 'dynamodb', endpoint, operation, input });
    expect(answer.status).toBe(200);
    return JSON.parse(answer.body);
  };
  const write = async (pk: string, sk: string, order: object) => {
    const Item = { pk: { S: pk }, sk: { S: sk }, order: { S: JSON.stringify(order) } };
    await call('PutItem', { TableName: tableName, Item });
  };
  const noted = async (id: string) => {
    const Key = { pk: { S: id }, sk: { S: 'row' } };
    return Noted.parse(await call('GetItem', { TableName: tableName, Key })).Item;
  };
  const times = async (id: string) => (await noted(id))?.times.N;
  return { service, start, faults, write, noted, times };
}

const Noted = z.object({
  Item: z.object({ times: z.object({ N: z.coerce.number() }), record: z.object({ S: z.string() }) }).optional(),
});

describe('a new row of the table', () => {
  test('A new row reaches the function once, in the format of Lambda', async () => {
    const { write, noted, times } = await table('rows-one');
    await write('OUTBOX#3', 'a', { id: 'first' });
    await expect.poll(() => times('first')).toBe(1);
    expect(JSON.parse((await noted('first'))?.record.S ?? '')).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/rows-one/stream/local',
      dynamodb: {
        Keys: { pk: { S: 'OUTBOX#3' }, sk: { S: 'a' } },
        NewImage: { pk: { S: 'OUTBOX#3' }, sk: { S: 'a' }, order: { S: '{"id":"first"}' } },
        SequenceNumber: expect.stringMatching(/^\d+$/),
      },
    });
    await write('OUTBOX#3', 'b', { id: 'second' });
    await expect.poll(() => times('second')).toBe(1);
    expect(await times('first')).toBe(1);
  });

  test('A new row does not reach the function if its key lacks the prefix of the filter', async () => {
    const { write, times } = await table('rows-other');
    await write('INBOX#3', 'a', { id: 'other' });
    await write('OUTBOX#3', 'a', { id: 'mine' });
    await expect.poll(() => times('mine')).toBe(1);
    expect(await times('other')).toBeUndefined();
  });

  test('If the first attempt to handle a row fails, this row and the rows after it are delivered again, but not the rows before it', async () => {
    const { write, service, start, times } = await table('rows-again');
    await service.close();
    await write('OUTBOX#3', 'a', { id: 'before' });
    await write('OUTBOX#3', 'b', { id: 'failing', failsOnce: true });
    await write('OUTBOX#3', 'c', { id: 'behind' });
    const again = await start();
    onTestFinished(again.close);
    await expect.poll(() => times('behind')).toBe(2);
    expect(await times('failing')).toBe(2);
    expect(await times('before')).toBe(1);
  });

  test('If every attempt to handle a row fails, the row is skipped after the last attempt, and later rows and rows of other partitions are still delivered', async () => {
    const { write, faults, times } = await table('rows-poison');
    await write('OUTBOX#3', 'a', { id: 'poison', fails: true });
    await write('OUTBOX#4', 'a', { id: 'elsewhere' });
    await expect.poll(() => times('elsewhere')).toBe(1);
    await expect
      .poll(() => faults)
      .toEqual([expect.stringContaining('OUTBOX#3: rows skipped after too many failures: 1, from a on')]);
    expect(await times('poison')).toBe(3);
    await write('OUTBOX#3', 'b', { id: 'after' });
    await expect.poll(() => times('after')).toBe(1);
    expect(await times('poison')).toBe(3);
  });
});
