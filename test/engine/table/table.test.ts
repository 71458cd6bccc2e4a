import { describe, expect, test } from 'vitest';
import { composeKey } from '#shared/engine/table/keys.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { ABSENT, PRESENT, put, remove, update } from '#shared/engine/table/writes.ts';
import { service } from '#test/harness/service.ts';
import { type Note, notes, notesOf, pageNumber } from './note.ts';

/** Creates a book that no other test uses. */
async function stage() {
  const { services } = await service();
  const book = crypto.randomUUID();
  return {
    table: services.table.metered(),
    book,
    note: (page: string, more: object = {}): Note => ({ book, page, ...more }),
  };
}
const pages = (found: readonly (Note | undefined)[]) => found.map((note) => note?.page);
const fill = (table: Table, all: readonly Note[]) => table.writeMany(all.map((note) => put(notes, note)));
const numbered = (count: number, note: (page: string) => Note): Note[] =>
  Array.from({ length: count }, (_, number) => note(pageNumber(number)));

describe('A put', () => {
  test('stores an item, which consistent and eventually consistent reads return unchanged', async () => {
    const { table, note } = await stage();
    const whole = note('1', {
      text: 'é\u{1f600}',
      number: -1.5,
      flags: [true, null, { deep: [] }],
      bytes: new Uint8Array([0, 255]),
      empty: '',
    });
    expect(await table.put(notes, whole)).toEqual({ done: true, item: whole });
    expect(await table.get(notes, whole)).toEqual(whole);
    expect(await table.get(notes, whole, { consistent: true })).toEqual(whole);
    expect(await table.get(notes, note('2'))).toBeUndefined();
  });

  test('A conditional put stores the item if its condition is true, and otherwise returns the existing item', async () => {
    const { table, note } = await stage();
    expect(await table.put(notes, note('1', { n: 1 }), PRESENT)).toEqual({ done: false, item: undefined });
    expect(await table.put(notes, note('1', { n: 1 }), ABSENT)).toMatchObject({ done: true });
    expect(await table.put(notes, note('1', { n: 2 }), ABSENT)).toEqual({ done: false, item: note('1', { n: 1 }) });
    expect(await table.get(notes, note('1'))).toEqual(note('1', { n: 1 }));
  });
});

describe('Batch reads', () => {
  test('return items in the requested order, with `undefined` for each missing item, even if keys are repeated', async () => {
    const { table, note } = await stage();
    await fill(table, numbered(230, note));
    const wanted = [...numbered(260, note)].reverse();
    const asked = [...wanted, note(pageNumber(7)), note(pageNumber(7))];
    const found = await table.getMany(notes, asked);
    expect(pages(found)).toEqual(asked.map(({ page }) => (Number(page) < 230 ? page : undefined)));
  });

  test('are complete even above the 16 MB that DynamoDB returns per call', async () => {
    const { table, note } = await stage();
    const large = numbered(60, (page) => note(page, { text: 'x'.repeat(300_000) }));
    for (let start = 0; start < 60; start += 20) await fill(table, large.slice(start, start + 20));
    expect(pages(await table.getMany(notes, large))).toEqual(pages(large));
  });

  test('Batch reads without keys do not call the database', async () => {
    const { table } = await stage();
    expect(await table.getMany(notes, [])).toEqual([]);
    expect(table.meter.trips).toBe(0);
  });
});

describe('Batch writes', () => {
  test('apply more than 25 puts and deletions', async () => {
    const { table, note, book } = await stage();
    const all = numbered(430, note);
    await fill(table, all);
    expect(pages(await table.queryAll(notes, notesOf(book)))).toEqual(pages(all));
    const changes = all.map((one, index) => (index % 2 ? remove(notes, one) : put(notes, { ...one, seen: true })));
    await table.writeMany(changes);
    expect(pages(await table.queryAll(notes, notesOf(book)))).toEqual(pages(all.filter((_, index) => index % 2 === 0)));
  });

  test('may be empty, and may delete missing items', async () => {
    const { table, note } = await stage();
    await table.writeMany([remove(notes, note('none'))]);
    await table.writeMany([]);
  });

  test('Batch writes that repeat the same write of an item are deduplicated', async () => {
    const { table, note, book } = await stage();
    const all = numbered(30, note);
    const twice = [...all, ...all];
    await fill(table, twice);
    expect(pages(await table.queryAll(notes, notesOf(book)))).toEqual(pages(all));
    expect(table.meter.writeUnits).toBe(30);
    await table.writeMany(twice.map((one) => remove(notes, one)));
    expect(await table.queryAll(notes, notesOf(book))).toEqual([]);
  });

  test.each([
    ['two different puts', (one: Note) => [put(notes, one), put(notes, { ...one, seen: true })]],
    ['a put and a deletion', (one: Note) => [put(notes, one), remove(notes, one)]],
    ['a deletion and a put', (one: Note) => [remove(notes, one), put(notes, one)]],
  ])('Batch writes with %s for one item fail, and write nothing', async (_, conflicting) => {
    const { table, note, book } = await stage();
    const others = numbered(30, note).map((one) => put(notes, one));
    const both = conflicting(note('twice'));
    await expect(table.writeMany([...others, ...both])).rejects.toThrow(/two different writes to the item .*twice/);
    expect(await table.queryAll(notes, notesOf(book))).toEqual([]);
  });
});

describe('A query', () => {
  test('returns the rows in a range of sort keys in either order, page by page', async () => {
    const { table, note, book } = await stage();
    await fill(table, numbered(10, note));
    const sk = (number: number) => composeKey('NOTE', pageNumber(number));
    const span = { ...notesOf(book), from: sk(2), to: sk(7) };
    const numbersOf = async (options: Parameters<Table['query']>[2]) => {
      const { rows, lastRead } = await table.query(notes, span, options);
      return { numbers: rows.map(({ item }) => Number(item.page)), goesOn: lastRead !== undefined };
    };
    expect(await numbersOf({})).toEqual({ numbers: [2, 3, 4, 5, 6, 7], goesOn: false });
    expect(await numbersOf({ newestFirst: true, limit: 2 })).toEqual({ numbers: [7, 6], goesOn: true });
    expect(await numbersOf({ newestFirst: true, limit: 2, after: sk(4) })).toEqual({ numbers: [3, 2], goesOn: true });
    expect(await numbersOf({ newestFirst: true, limit: 3, after: sk(4) })).toEqual({ numbers: [3, 2], goesOn: false });
    expect(await numbersOf({ limit: 2, after: sk(4) })).toEqual({ numbers: [5, 6], goesOn: true });
  });

  test('A query for all rows returns more than the 1 MB of one round trip', async () => {
    const { table, note, book } = await stage();
    const all = numbered(40, (page) => note(page, { text: 'x'.repeat(60_000) }));
    await fill(table, all);
    table.meter.trips = 0;
    expect(await table.queryAll(notes, notesOf(book))).toEqual(all);
    expect(table.meter.trips).toBeGreaterThanOrEqual(3);
  });

  test('returns only rows of the requested partition', async () => {
    const { table, note, book } = await stage();
    await fill(table, [note('1'), { book: `${book}1`, page: '1' }, { book: `${book}#`, page: '2' }]);
    expect(pages(await table.queryAll(notes, notesOf(book)))).toEqual(['1']);
  });
});

describe('A transaction', () => {
  test('applies all its writes', async () => {
    const { table, note } = await stage();
    await table.put(notes, note('2', { n: 1 }));
    const writes = [
      put(notes, note('1'), ABSENT),
      update(notes, note('2'), { add: [['n', 1]] }, PRESENT),
      remove(notes, note('3')),
    ];
    expect(await table.transact(writes)).toBe(true);
    expect(await table.getMany(notes, [note('1'), note('2')])).toEqual([note('1'), note('2', { n: 2 })]);
  });

  test('writes nothing if one of its conditions is false', async () => {
    const { table, note } = await stage();
    await table.put(notes, note('1', { n: 1 }));
    const writes = [
      update(notes, note('1'), { add: [['n', 1]] }),
      put(notes, note('2')),
      put(notes, note('1b'), PRESENT),
    ];
    expect(await table.transact(writes)).toBe(false);
    expect(await table.getMany(notes, [note('1'), note('2')])).toEqual([note('1', { n: 1 }), undefined]);
  });

  test('is applied if and only if it reports success, even among concurrent transactions', async () => {
    const { table, note } = await stage();
    const counter = note('counter', { n: 0 });
    await table.put(notes, counter);
    const attempts = Array.from({ length: 24 }, (_, index) =>
      table.transact([update(notes, counter, { add: [['n', 1]] }), put(notes, note(`by ${index}`), ABSENT)]),
    );
    const happened = (await Promise.all(attempts)).filter(Boolean).length;
    expect(await table.get(notes, counter)).toMatchObject({ n: happened });
  });

  test('A transaction that DynamoDB rejects as invalid throws an error, instead of reporting a failed condition', async () => {
    const { table, note } = await stage();
    await expect(table.transact([put(notes, note('1')), put(notes, note('1'))])).rejects.toThrow();
  });
});

describe('The meter', () => {
  test('counts the capacity units that DynamoDB charges, including those for failed conditions', async () => {
    const { table, note } = await stage();
    await table.put(notes, note('1', { text: 'x'.repeat(1500) }));
    expect(table.meter).toMatchObject({ trips: 1, writeUnits: 2, readUnits: 0 });
    await table.get(notes, note('1'));
    await table.get(notes, note('1'), { consistent: true });
    expect(table.meter).toMatchObject({ trips: 3, readUnits: 1.5 });
    await table.put(notes, note('1'), ABSENT);
    expect(table.meter).toMatchObject({ trips: 4, writeUnits: 3 });
  });
});
