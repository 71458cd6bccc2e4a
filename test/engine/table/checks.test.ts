import { describe, expect, test } from 'vitest';
import {
  ABSENT,
  type Check,
  check,
  mergeChecks,
  PRESENT,
  put,
  removeWhen,
  update,
  type Write,
} from '#shared/engine/table/writes.ts';
import { service } from '#test/harness/service.ts';
import { type Note, notes } from './note.ts';

/** Returns three notes of a new book. The first two are stored with `n` = 1, and the third is not stored. */
async function stage() {
  const { services } = await service();
  const { table } = services;
  const book = crypto.randomUUID();
  const note = (page: string, more: object = {}): Note => ({ book, page, ...more });
  const first = note('1', { n: 1 });
  const second = note('2', { n: 1 });
  const third = note('3');
  await table.writeMany([put(notes, first), put(notes, second)]);
  const all = () => table.getMany(notes, [first, second, third], { consistent: true });
  return { table, first, second, third, all, is: (n: number) => ({ path: 'n', equals: n }) as const };
}

describe('A condition check', () => {
  test('writes nothing, and cancels its transaction if the condition is false', async () => {
    const { table, first, second, all, is } = await stage();
    const writes = [update(notes, second, { add: [['n', 1]] })];
    expect(await table.transact([check(notes, first, is(2)), ...writes])).toBe(false);
    expect(await all()).toEqual([first, second, undefined]);
    expect(await table.transact([check(notes, first, is(1)), ...writes])).toBe(true);
    expect(await all()).toEqual([first, { ...second, n: 2 }, undefined]);
  });

  test('distinguishes an existing item from a missing item', async () => {
    const { table, first, second, third } = await stage();
    const writes = [update(notes, second, { add: [['n', 1]] })];
    const happens = (condition: Check) => table.transact([condition, ...writes]);
    expect(await happens(check(notes, first, PRESENT))).toBe(true);
    expect(await happens(check(notes, first, ABSENT))).toBe(false);
    expect(await happens(check(notes, third, PRESENT))).toBe(false);
    expect(await happens(check(notes, third, ABSENT))).toBe(true);
  });
});

describe('A condition check of an item that its transaction also writes', () => {
  type Make = (on: Awaited<ReturnType<typeof stage>>) => Write;
  const writes: readonly (readonly [string, Make])[] = [
    ['a put', ({ first }) => put(notes, { ...first, n: 9 })],
    ['a put with its own condition', ({ first }) => put(notes, { ...first, n: 9 }, PRESENT)],
    ['an update', ({ first }) => update(notes, first, { set: [['n', 9]] })],
    ['an update with its own condition', ({ first }) => update(notes, first, { set: [['n', 9]] }, PRESENT)],
    ['a removal with its own condition', ({ first }) => removeWhen(notes, first, PRESENT)],
  ];

  test.each(writes)('becomes part of %s', async (_, make) => {
    const on = await stage();
    const { table, first, is } = on;
    expect(await table.transact(mergeChecks([check(notes, first, is(2))], [make(on)]))).toBe(false);
    expect(await table.get(notes, first, { consistent: true })).toEqual(first);
    expect(await table.transact(mergeChecks([check(notes, first, is(1))], [make(on)]))).toBe(true);
  });

  test('A write that is merged with a condition check keeps its own condition', async () => {
    const { table, first, is, all, second } = await stage();
    const writes = mergeChecks([check(notes, first, is(1))], [put(notes, { ...first, n: 9 }, ABSENT)]);
    expect(await table.transact(writes)).toBe(false);
    expect(await all()).toEqual([first, second, undefined]);
  });

  test('A condition check of an item is not merged with writes of other items', async () => {
    const { table, first, second, third, is, all } = await stage();
    const checks = [check(notes, first, is(1)), check(notes, third, ABSENT)];
    expect(await table.transact(mergeChecks(checks, [update(notes, second, { set: [['n', 5]] })]))).toBe(true);
    expect(await all()).toEqual([first, { ...second, n: 5 }, undefined]);
  });
});
