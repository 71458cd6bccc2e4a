import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import * as sdk from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { makeDocumentClient } from '#shared/engine/table/table.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { ownTable } from '#test/harness/own-table.ts';
import * as plain from '#test/harness/plain-dynamodb.ts';

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

test('The plain client that tests use instead of the AWS SDK returns the same answers and errors as the AWS SDK for every kind of call', async () => {
  const expected = await answersOf((operation, input) =>
    makeDocumentClient().send(Reflect.construct(COMMANDS[operation][0], [input])),
  );
  const received = await answersOf((operation, input) =>
    plain.DynamoDBDocumentClient.from().send(new COMMANDS[operation][1](input)),
  );
  expect(received).toEqual(expected);
  expect(expected.filter((answer) => JSON.stringify(answer).includes('"known"'))).toHaveLength(4);
});
