/** Tests rows whose `expiresAt` or `endsAt` has passed, but which the database has not deleted yet. */
import { describe, expect, test } from 'vitest';
import { getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { ABSENT, check, PRESENT, put, remove, removeWhen, update } from '#shared/engine/table/writes.ts';
import { clock, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { type Note, notes, notesOf, pageNumber } from './note.ts';

const seconds = () => Date.now() / 1000;

/** Stores a book with one page that expires in a minute and one page that never expires. */
async function stage(end: 'expiresAt' | 'endsAt' = 'expiresAt') {
  const { services, environment } = await service();
  const { table } = services;
  const book = crypto.randomUUID();
  const [ending, staying]: Note[] = [
    { book, page: '1', n: 1, [end]: seconds() + 60 },
    { book, page: '2', n: 1 },
  ];
  if (!ending || !staying) throw new Error('Expected two pages');
  await table.writeMany([put(notes, ending), put(notes, staying)]);
  const stored = () => itemsOf(environment, ({ pk }) => pk === composeKey('BOOK', book));
  const read = (page: Note) => table.get(notes, page, { consistent: true });
  return { table, book, ending, staying, stored, read };
}

describe.each(['expiresAt', 'endsAt'] as const)('A row with %s', (end) => {
  test('A row is readable until the last millisecond before it expires, and afterwards only by a query that includes expired rows', async () => {
    const { table, book, ending, staying, stored } = await stage(end);
    const reads = async () => [
      [await table.get(notes, ending)].filter(Boolean),
      (await table.getMany(notes, [ending, staying])).filter(Boolean),
      (await table.query(notes, notesOf(book))).rows.map(({ item }) => item),
      await table.queryAll(notes, getPartitionSpan(composeKey('BOOK', book))),
    ];
    clock.advance(59_999);
    expect(await reads()).toEqual([[ending], [ending, staying], [ending, staying], [ending, staying]]);
    clock.advance(1);
    expect(await reads()).toEqual([[], [staying], [staying], [staying]]);
    expect(await stored()).toHaveLength(2);
    expect(await table.queryAll(notes, notesOf(book), { ended: true })).toEqual([ending, staying]);
  });
});

describe('An expired row', () => {
  const CONDITIONS: readonly (readonly [string, Condition])[] = [
    ['absence', ABSENT],
    ['presence', PRESENT],
    ['a value that it has', { path: 'n', equals: 1 }],
    ['a value that it does not have', { path: 'n', equals: 2 }],
    ['absence or another value', { any: [ABSENT, { path: 'n', equals: 2 }] }],
    ['absence and its value', { all: [ABSENT, { path: 'n', equals: 1 }] }],
    ['the opposite of presence', { not: PRESENT }],
    ['an attribute that it lacks', { absent: 'm' }],
  ];

  test.each(CONDITIONS)('Puts with the condition "%s" treat an expired row as missing', async (_, when) => {
    const { table, ending } = await stage();
    const missing = { ...ending, book: crypto.randomUUID() };
    clock.advance(60_000);
    const { book, page } = ending;
    const put1 = await table.put(notes, { book, page, n: 7 }, when);
    const put2 = await table.put(notes, { book: missing.book, page, n: 7 }, when);
    expect({ ...put1, item: 0 }).toEqual({ ...put2, item: 0 });
  });

  test.each(CONDITIONS)(
    'Updates with the condition "%s" treat an expired row as missing, and keep none of its attributes',
    async (_, when) => {
      const { table, ending } = await stage();
      const { book, page } = ending;
      const missing = { book: crypto.randomUUID(), page };
      clock.advance(60_000);
      const changes = { set: [['m', 5]], add: [['n', 3]] } as const;
      const on = await table.update(notes, { book, page }, changes, when);
      const instead = await table.update(notes, missing, changes, when);
      expect(on.done).toBe(instead.done);
      const read = (of: { book: string; page: string }) => table.get(notes, of, { consistent: true });
      expect(await read(ending)).toEqual(await read(missing));
      if (!on.done) expect(on.item).toBeUndefined();
    },
  );

  test.each(CONDITIONS)('Transactions with the condition "%s" treat an expired row as missing', async (_, when) => {
    const { table, ending, staying } = await stage();
    const missing = { ...ending, book: crypto.randomUUID() };
    clock.advance(60_000);
    const other = update(notes, staying, { add: [['n', 1]] });
    for (const write of [check, removeWhen]) {
      const on = await table.transact([write(notes, ending, when), other]);
      const instead = await table.transact([write(notes, missing, when), other]);
      expect(on).toBe(instead);
    }
  });

  test('A transaction with an unconditional update of an expired row writes nothing', async () => {
    const { table, ending, staying, read } = await stage();
    clock.advance(60_000);
    const writes = [update(notes, ending, { set: [['n', 9]] }), update(notes, staying, { set: [['n', 9]] })];
    expect(await table.transact(writes)).toBe(false);
    expect(await read(staying)).toEqual(staying);
  });

  test('Ten concurrent updates replace an expired row only once, and each of the updates takes effect', async () => {
    const { table, ending, read } = await stage();
    clock.advance(60_000);
    const counted = Array.from({ length: 10 }, () => table.update(notes, ending, { add: [['n', 1]] }));
    expect((await Promise.all(counted)).every(({ done }) => done)).toBe(true);
    expect(await read(ending)).toMatchObject({ n: 10 });
  });

  test('can be overwritten without a condition, and the new row can be read and deleted', async () => {
    const { table, ending, read, stored, staying } = await stage();
    clock.advance(60_000);
    await table.put(notes, { ...ending, expiresAt: seconds() + 60 });
    expect(await read(ending)).toBeDefined();
    await table.writeMany([remove(notes, ending), remove(notes, staying)]);
    expect(await stored()).toEqual([]);
  });

  test('Expired rows may leave a query page empty, but do not end the query: the next page starts after them', async () => {
    const { table, book } = await stage();
    const pages = Array.from({ length: 30 }, (_, number): Note => ({ book, page: pageNumber(number), expiresAt: 1 }));
    await table.writeMany(pages.map((page) => put(notes, page)));
    const first = await table.query(notes, notesOf(book), { limit: 10 });
    expect(first.rows).toEqual([]);
    expect(first.lastRead).toBeDefined();
    expect(await table.queryAll(notes, notesOf(book))).toHaveLength(2);
  });
});

test.each([
  ['a string', '1'],
  ['null', null],
])('A row whose expiresAt is %s never expires, as in DynamoDB', async (_, expiresAt) => {
  const { table, book, read } = await stage();
  const page: Note = { book, page: '3', expiresAt };
  await table.put(notes, page);
  expect(await read(page)).toEqual(page);
  expect((await table.update(notes, page, { set: [['n', 1]] }, PRESENT)).done).toBe(true);
});
