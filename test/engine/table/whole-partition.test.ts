import { expect, test } from 'vitest';
import { getPartitionSpan } from '#shared/engine/table/entity.ts';
import { put } from '#shared/engine/table/writes.ts';
import { service } from '#test/harness/service.ts';
import { notes, pageNumber } from './note.ts';

test('a query of a whole partition returns every row, and an empty sort key is an error as in DynamoDB', async () => {
  const { table } = (await service()).services;
  const book = crypto.randomUUID();
  const all = [0, 1, 2].map((number) => ({ book, page: pageNumber(number) }));
  await table.writeMany(all.map((note) => put(notes, note)));
  const { pk } = notes.key({ book, page: pageNumber(0) });
  expect(await table.queryAll(notes, getPartitionSpan(pk))).toMatchObject(all);
  await expect(table.queryAll(notes, { pk, from: '', to: '~' })).rejects.toThrow('getPartitionSpan()');
});
