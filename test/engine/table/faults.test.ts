/** Tests transient DynamoDB errors: throttled transactions, and calls that DynamoDB does not answer. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeDocumentClient, Table } from '#shared/engine/table/table.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { ownTable } from '#test/harness/own-table.ts';
import { findEngines } from '#test/harness/stage.ts';
import { throttledTable } from '#test/harness/throttled-table.ts';
import { type Note, notes } from './note.ts';

const CALL_MILLISECONDS = 500;

/** Connects to the same table directly and through a proxy that injects faults. */
async function stage() {
  const { services, environment } = await ownTable();
  // The SDK waits between its retries in real time.
  vi.useRealTimers();
  const faults = await throttledTable((await findEngines()).dynamodbEndpoint);
  onTestFinished(faults.close);
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = faults.endpoint;
  const table = new Table(environment[ENVIRONMENT.tableName] ?? '', Date.now, makeDocumentClient(CALL_MILLISECONDS));
  const note: Note = { book: 'b', page: '1' };
  return { faults, table, note, stored: () => services.table.get(notes, note, { consistent: true }) };
}

describe('A transaction that DynamoDB cancels', () => {
  test.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'A transaction is retried after %s until it succeeds',
    async (code) => {
      const { faults, table, note, stored } = await stage();
      faults.cancelNext(3, ['None', code]);
      expect(await table.transact([put(notes, note, ABSENT), put(notes, { ...note, page: '2' })])).toBe(true);
      expect(faults.turnedAway()).toBe(3);
      expect(await stored()).toEqual(note);
    },
  );

  test('A transaction fails with an error that names the reason if DynamoDB throttles all attempts', async () => {
    const { faults, table, note, stored } = await stage();
    faults.cancelNext(1000, ['ThrottlingError']);
    await expect(table.transact([put(notes, note)])).rejects.toThrow('ThrottlingError');
    expect(faults.turnedAway()).toBe(8);
    expect(await stored()).toBeUndefined();
  });

  test('A transaction is not retried after a failed condition, even if another of its items was throttled', async () => {
    const { faults, table, note } = await stage();
    faults.cancelNext(1000, ['ConditionalCheckFailed', 'ThrottlingError']);
    expect(await table.transact([put(notes, note, ABSENT), put(notes, { ...note, page: '2' })])).toBe(false);
    expect(faults.turnedAway()).toBe(1);
  });

  test('A transaction with an invalid item fails without a second attempt', async () => {
    const { faults, table, note } = await stage();
    faults.cancelNext(1000, ['ValidationError']);
    await expect(table.transact([put(notes, note)])).rejects.toThrow('ValidationError');
    expect(faults.turnedAway()).toBe(1);
  });
});

test('A transaction whose earlier attempt is still in progress is retried', async () => {
  const { faults, table, note, stored } = await stage();
  faults.inProgressNext(2);
  expect(await table.transact([put(notes, note, ABSENT)])).toBe(true);
  expect(faults.turnedAway()).toBe(2);
  expect(await stored()).toEqual(note);
});

test('A call that DynamoDB never answers is retried', async () => {
  const { faults, table, note, stored } = await stage();
  faults.hangNext(2);
  expect(await table.put(notes, note)).toMatchObject({ done: true });
  expect(faults.turnedAway()).toBe(2);
  expect(await stored()).toEqual(note);
});
