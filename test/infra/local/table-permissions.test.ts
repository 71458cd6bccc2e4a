/** Checks the table permissions that the local runner derives from the deployed template. */

import { beforeAll, describe, expect, test } from 'vitest';
import { type FindRefusal, makePermissionCheck } from '#infra/local/stores/table-permissions.ts';
import { listTableUses } from '#infra/local/stores/table-uses.ts';
import { loadAssembly } from '#infra/local/template/assembly.ts';
import { Stack } from '#infra/local/template/stack.ts';
import { findAssembly } from '#test/harness/stage.ts';

let refuse: (name: string) => FindRefusal;
beforeAll(async () => {
  const stack = await Stack.load(await loadAssembly(await findAssembly()), {
    tableName: 'table',
    bucketName: 'bucket',
  });
  const [table] = stack.resources('AWS::DynamoDB::Table');
  refuse = (name) => {
    const fn = stack.resources('AWS::Lambda::Function').find(({ reference }) => reference === `rundown-dev-${name}`);
    if (!fn || !table) throw new Error(`There is no function ${name}`);
    return makePermissionCheck(stack, fn, table.attribute('Arn'));
  };
});

const row = (pk: string) => ({ pk: { S: pk }, sk: { S: 'row' } });
const ask = (name: string, operation: string, input: object) =>
  listTableUses(operation, input).map((use) => refuse(name)(use));
const putInto = (pk: string) => ({ TableName: 'table', Item: row(pk) });

describe('the local runner checks the role of a function:', () => {
  test.each([
    ['claimInstance', 'PutItem', putInto('MEMBERS#org'), 'with an explicit deny'],
    ['uploadRun', 'PutItem', putInto('KEY#hash'), 'with an explicit deny'],
    ['createWebhook', 'PutItem', putInto('MEMBERS#org'), 'with an explicit deny'],
    ['deliverWebhook', 'PutItem', putInto('RUN#org#run'), 'because no statement allows it'],
    ['deliverWebhook', 'GetItem', { Key: row('KEY#hash') }, 'because no statement allows it'],
    ['authorizer', 'PutItem', putInto('TOKEN#hash'), 'because no statement allows it'],
    ['authorizer', 'UpdateItem', { Key: row('KEY#hash') }, 'with an explicit deny'],
    ['getRun', 'PutItem', putInto('RUN#org#run'), 'because no statement allows it'],
  ])('%s may not call %s for a row outside its role', (name, operation, input, why) => {
    expect(ask(name, operation, input)).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['claimInstance', 'PutItem', putInto('RUN#org#run')],
    ['createWebhook', 'PutItem', putInto('AUDIT#org')],
    ['deliverWebhook', 'UpdateItem', { Key: row('WEBHOOK#org#hook') }],
    ['authorizer', 'UpdateItem', { Key: row('TOKEN#hash') }],
    ['authorizer', 'GetItem', { Key: row('MEMBERS#org') }],
    ['getRun', 'GetItem', { Key: row('RUN#org#run') }],
  ])('%s may call %s for a row of its role', (name, operation, input) => {
    expect(ask(name, operation, input)).toEqual([undefined]);
  });

  test('a transaction is checked write by write, and a batch write is refused as a whole if one of its rows is forbidden', () => {
    const own = 'RUN#org#run';
    const others = 'ORG#org';
    const TransactItems = [
      { Put: putInto(own) },
      { Update: { Key: row(others) } },
      { ConditionCheck: { Key: row(others) } },
    ];
    expect(ask('claimInstance', 'TransactWriteItems', { TransactItems })).toEqual([
      undefined,
      expect.stringContaining('dynamodb:UpdateItem on rows of ORG'),
      undefined,
    ]);
    const RequestItems = { table: [{ PutRequest: putInto(own) }, { DeleteRequest: { Key: row(others) } }] };
    expect(ask('claimInstance', 'BatchWriteItem', { RequestItems })).toEqual([
      expect.stringContaining('explicit deny'),
    ]);
  });

  test('an operation is refused if the runner does not know which rows it uses', () => {
    expect(() => ask('claimInstance', 'ExecuteStatement', { Statement: 'DELETE FROM "table"' })).toThrow(
      'does not know which rows ExecuteStatement uses',
    );
  });
});
