import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test, vi } from 'vitest';
import type { Attributes } from '#shared/engine/table/entity.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { stream } from '#shared/platform/stream.ts';

for (const name of [ENVIRONMENT.tableName, ENVIRONMENT.artifactsBucket, ENVIRONMENT.publicOrigin]) {
  vi.stubEnv(name, 'unused');
}

const DECLARATION = {
  name: 'relay',
  rows: 'OUTBOX#',
  access: { table: 'none', artifacts: 'none' },
  summary: '',
  timeoutSeconds: 1,
} as const;

/** A record of a DynamoDB stream as Lambda sends it: JSON with bytes as Base64. */
const record = (number: number, row: object) => ({
  dynamodb: { SequenceNumber: `${number}`, NewImage: JSON.parse(JSON.stringify(marshall(row), base64)) },
});

function base64(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name];
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value;
}

/** A stream consumer that collects the number `n` of each handled row, and fails for the row whose `n` is `failing`. */
function told(failing?: number) {
  const handled: unknown[] = [];
  const handle = async (row: Attributes) => {
    if (row['n'] === failing) throw new Error('This one fails');
    handled.push(row['n']);
    return [];
  };
  return { handled, handler: stream({ ...DECLARATION, handle }) };
}

test('A stream consumer handles rows in the order of the stream, and reports no row for redelivery if all succeed', async () => {
  const { handled, handler } = told();
  const Records = [1, 2, 3].map((n) => record(n, { n }));
  expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
  expect(handled).toEqual([1, 2, 3]);
});

test('A stream consumer that fails for a row stops and reports the row, so that this row and all later rows are delivered again', async () => {
  const complained = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { handled, handler } = told(2);
  const Records = [1, 2, 3].map((n) => record(n, { n }));
  expect(await handler({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  expect(handled).toEqual([1]);
  expect(complained.mock.calls).toEqual([[expect.objectContaining({ stream: 'relay', sequenceNumber: '2' })]]);
  complained.mockRestore();
});

test('A stream consumer gets each row as it is in the table, even with nested binary values and an attribute with the name `B`', async () => {
  const row = { text: 'a', B: 'not bytes', list: [{ B: Uint8Array.of(0, 255) }, null], packed: Uint8Array.of(1, 2, 3) };
  const rows: Attributes[] = [];
  const handle = async (one: Attributes) => {
    rows.push(one);
    return [];
  };
  const handler = stream({ ...DECLARATION, handle });
  await handler({ Records: [record(1, row)] });
  expect(JSON.stringify(rows, asNumbers)).toEqual(JSON.stringify([row], asNumbers));
});

function asNumbers(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name];
  return original instanceof Uint8Array ? [...original] : value;
}
