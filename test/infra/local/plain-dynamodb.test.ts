import { createServer } from 'node:http';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import * as sdk from '@aws-sdk/lib-dynamodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bind, closeServer, getPort, LOOPBACK } from '#infra/local/host/loopback.ts';
import * as plain from '#infra/local/stores/plain-dynamodb.ts';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';
import { makeDocumentClient } from '#shared/engine/table/table.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { ownTable } from '#test/harness/own-table.ts';

/** The commands of the SDK and of the plain client. */
const COMMANDS = {
  Get: [sdk.GetCommand, plain.GetCommand],
  Put: [sdk.PutCommand, plain.PutCommand],
  Update: [sdk.UpdateCommand, plain.UpdateCommand],
  Query: [sdk.QueryCommand, plain.QueryCommand],
  BatchGet: [sdk.BatchGetCommand, plain.BatchGetCommand],
  BatchWrite: [sdk.BatchWriteCommand, plain.BatchWriteCommand],
  TransactWrite: [sdk.TransactWriteCommand, plain.TransactWriteCommand],
} as const;
type Operation = keyof typeof COMMANDS;

const ITEM = {
  pk: 'a',
  sk: '1',
  text: 'ünï 🎉 "quoted"\n',
  empty: '',
  number: 1.5e15,
  negative: -0.25,
  yes: true,
  nothing: null,
  bytes: new Uint8Array([0, 127, 128, 255]),
  list: [1, 'two', [], {}, undefined],
  map: { S: 'like a type', inner: { bytes: new Uint8Array([1]), missing: undefined } },
  missing: undefined,
};

/** Requests of every kind that the product sends, in order, as functions of the name of the table. */
const CALLS: readonly (readonly [Operation, (TableName: string) => object])[] = [
  ['Put', (TableName) => ({ TableName, Item: ITEM, ReturnConsumedCapacity: 'TOTAL' })],
  ['Get', (TableName) => ({ TableName, Key: { pk: 'a', sk: '1' }, ConsistentRead: true })],
  ['Get', (TableName) => ({ TableName, Key: { pk: 'a', sk: 'nothing' } })],
  [
    'Put',
    (TableName) => ({
      TableName,
      Item: { pk: 'a', sk: '1' },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  ],
  [
    'Update',
    (TableName) => ({
      TableName,
      Key: { pk: 'a', sk: '1' },
      UpdateExpression: 'SET #text = :text, #map = :map ADD #number :one REMOVE #list',
      ExpressionAttributeNames: { '#text': 'text', '#map': 'map', '#number': 'number', '#list': 'list' },
      ExpressionAttributeValues: { ':text': 'new', ':map': { deep: [new Uint8Array([2])] }, ':one': 1 },
      ReturnValues: 'ALL_NEW',
    }),
  ],
  [
    'BatchWrite',
    (TableName) => ({
      RequestItems: {
        [TableName]: [
          { PutRequest: { Item: { pk: 'b', sk: '1', value: [new Uint8Array([3])] } } },
          { PutRequest: { Item: { pk: 'b', sk: '2', value: undefined } } },
          { DeleteRequest: { Key: { pk: 'b', sk: 'nothing' } } },
        ],
      },
    }),
  ],
  [
    'BatchGet',
    (TableName) => ({
      RequestItems: {
        [TableName]: {
          Keys: [
            { pk: 'b', sk: '1' },
            { pk: 'b', sk: 'nothing' },
          ],
        },
      },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  ],
  [
    'Query',
    (TableName) => ({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'b' },
      Limit: 1,
      ExclusiveStartKey: undefined,
    }),
  ],
  [
    'Query',
    (TableName) => ({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'b' },
      ExclusiveStartKey: { pk: 'b', sk: '1' },
    }),
  ],
  [
    'TransactWrite',
    (TableName) => ({
      TransactItems: [
        { Put: { TableName, Item: { pk: 'c', sk: '1' } } },
        { Delete: { TableName, Key: { pk: 'b', sk: '2' } } },
      ],
      ClientRequestToken: TableName,
    }),
  ],
  [
    'TransactWrite',
    (TableName) => ({
      TransactItems: [
        { Put: { TableName, Item: { pk: 'd', sk: '1' } } },
        { ConditionCheck: { TableName, Key: { pk: 'c', sk: '1' }, ConditionExpression: 'attribute_not_exists(pk)' } },
      ],
    }),
  ],
  ['Put', (TableName) => ({ TableName, Item: { pk: '', sk: '1' } })],
  ['Get', () => ({ TableName: 'there-is-no-such-table', Key: { pk: 'a', sk: '1' } })],
];

const KNOWN_ERRORS = [ConditionalCheckFailedException, TransactionCanceledException, TransactionInProgressException];

/** Sends all calls to a table of its own. Returns what the product reads from each answer or error. */
async function answersOf(send: (operation: Operation, input: object) => Promise<unknown>): Promise<unknown[]> {
  const { environment } = await ownTable();
  const name = environment[ENVIRONMENT.tableName] ?? '';
  const answers: unknown[] = [];
  for (const [operation, inputOf] of CALLS) {
    const answer = await send(operation, inputOf(name)).then(
      (members) => ({ ...Object(members), $metadata: undefined }),
      (error) => ({
        known: KNOWN_ERRORS.findIndex((kind) => error instanceof kind),
        name: error.name,
        item: error.Item,
        codes: error.CancellationReasons?.map(({ Code }: { Code?: string }) => Code),
      }),
    );
    answers.push(JSON.parse(JSON.stringify(answer).replaceAll(name, '<table>')));
  }
  return answers;
}

test('The plain client of the embedded table returns the same answers and errors as the AWS SDK for every kind of call', async () => {
  const expected = await answersOf((operation, input) =>
    makeDocumentClient().send(Reflect.construct(COMMANDS[operation][0], [input])),
  );
  const received = await answersOf((operation, input) =>
    plain.DynamoDBDocumentClient.from().send(new COMMANDS[operation][1](input)),
  );
  expect(received).toEqual(expected);
  expect(expected.filter((answer) => JSON.stringify(answer).includes('"known"'))).toHaveLength(4);
});

describe('The plain client of the embedded table', () => {
  test.each([
    ['is throttled', 400, 'ProvisionedThroughputExceededException'],
    ['fails', 500, 'InternalServerError'],
  ])('repeats a call that %s, and throws the error of the last attempt', async (_, status, name) => {
    const { endpoint, requests } = await refusingEngine(status, name, Number.POSITIVE_INFINITY);
    await expect(plain.callDynamoDb(endpoint, 'GetItem', {})).rejects.toMatchObject({ name });
    expect(requests()).toBe(TABLE_LIMITS.callAttempts);
  });

  test('repeats a call whose connection was closed before the answer, until it is answered', async () => {
    const { endpoint, requests } = await refusingEngine(0, '', 2);
    await expect(plain.callDynamoDb(endpoint, 'GetItem', {})).resolves.toEqual({});
    expect(requests()).toBe(3);
  });

  test('does not repeat a call whose condition failed', async () => {
    const { endpoint, requests } = await refusingEngine(400, 'ConditionalCheckFailedException', 1);
    await expect(plain.callDynamoDb(endpoint, 'PutItem', {})).rejects.toBeInstanceOf(ConditionalCheckFailedException);
    expect(requests()).toBe(1);
  });

  test.each([
    ['a number that is too large to be exact', 2 ** 53],
    ['not a number', Number.NaN],
    ['a date', new Date(0)],
  ])('refuses %s, as the AWS SDK does', async (_, value) => {
    const input = { TableName: 'any', Item: { pk: 'a', sk: '1', value } };
    const { endpoint, requests } = await refusingEngine(400, 'ValidationException', 1);
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
    await expect(makeDocumentClient().send(new sdk.PutCommand(input))).rejects.toThrow();
    await expect(plain.callDynamoDb(endpoint, 'PutItem', input)).rejects.toThrow();
    expect(requests()).toBe(0);
  });
});

/** Starts an engine that refuses the first requests: with an error, or with the status 0 by closing the connection. */
async function refusingEngine(status: number, name: string, refusals: number) {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    if (requests > refusals) return response.setHeader('content-length', 2).end('{}');
    if (status === 0) return request.socket.destroy();
    const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: '' });
    return response.writeHead(status, { 'content-length': body.length }).end(body);
  });
  await bind(server, 0);
  onTestFinished(() => closeServer(server));
  return { endpoint: `http://${LOOPBACK}:${getPort(server)}`, requests: () => requests };
}
