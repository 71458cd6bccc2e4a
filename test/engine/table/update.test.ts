import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { cases } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { type Note, notes } from './note.ts';

// Reserved words and placeholders of DynamoDB, and names with path separators.
const NAMES = ['name', 'status', 'size', 'a.b', '#n0', ':v0', 'count', 'x y', 'é'] as const;

async function stage(attributes: object) {
  const { services } = await service();
  const note: Note = { book: crypto.randomUUID(), page: '1', ...attributes };
  const { book, page } = note;
  await services.table.put(notes, note);
  const change = async (changes: Changes, when?: Condition) => {
    const outcome = await services.table.update(notes, { book, page }, changes, when);
    const { book: _, page: __, ...item } = outcome.item ?? note;
    return { done: outcome.done, item };
  };
  return { table: services.table, change };
}

describe('An update', () => {
  test('One update can set, add, append and remove attributes, including attributes inside maps', async () => {
    const { change } = await stage({ old: 1, kept: 1, count: 2, list: ['a'], map: { x: 1, z: 1 } });
    const changes: Changes = {
      set: [
        ['new', { deep: [1] }],
        [['map', 'y'], 'set'],
      ],
      setIfAbsent: [
        ['kept', 9],
        ['fresh', 9],
        [['map', 'x'], 9],
      ],
      add: [
        ['count', 3],
        ['from nothing', -1],
      ],
      append: [
        ['list', ['b', 'c']],
        ['other list', [true]],
      ],
      remove: ['old', ['map', 'z']],
    };
    expect(await change(changes)).toEqual({
      done: true,
      item: {
        kept: 1,
        fresh: 9,
        count: 5,
        'from nothing': -1,
        new: { deep: [1] },
        list: ['a', 'b', 'c'],
        'other list': [true],
        map: { x: 1, y: 'set' },
      },
    });
  });

  test('accepts attribute names that are reserved words or contain special characters', async () => {
    const { change } = await stage({});
    const changes: Changes = { set: NAMES.map((name, index) => [name, index]) };
    expect((await change(changes)).item).toEqual(Object.fromEntries(NAMES.map((name, index) => [name, index])));
    const nested: Changes = { set: [['map', {}]] };
    await change(nested);
    for (const name of NAMES) await change({ set: [[['map', name], name]] });
    expect((await change({ remove: ['none'] })).item).toMatchObject({
      map: Object.fromEntries(NAMES.map((name) => [name, name])),
    });
  });

  test('creates a missing item, unless its condition requires that the item exists', async () => {
    const { table } = await stage({});
    const key = { book: crypto.randomUUID(), page: '1' };
    expect(await table.update(notes, key, { set: [['n', 1]] }, { present: 'pk' })).toEqual({
      done: false,
      item: undefined,
    });
    expect(await table.update(notes, key, { set: [['n', 1]] })).toMatchObject({ done: true, item: { n: 1 } });
  });

  test('An update whose condition is false changes nothing and returns the existing item', async () => {
    const { change } = await stage({ n: 1, other: 'x' });
    expect(await change({ set: [['other', 'y']] }, { path: 'n', equals: 2 })).toEqual({
      done: false,
      item: { n: 1, other: 'x' },
    });
    expect((await change({ remove: ['none'] })).item).toEqual({ n: 1, other: 'x' });
  });

  test('Each of several concurrent updates takes effect', async () => {
    const { change } = await stage({ count: 0 });
    await Promise.all(Array.from({ length: 40 }, () => change({ add: [['count', 1]] })));
    expect((await change({ remove: ['none'] })).item).toEqual({ count: 40 });
  });
});

type Value = string | number | boolean | null;
const ITEM = { name: 'a', size: 3, count: 10, flag: true, nothing: null, map: { x: 'm', n: 5 }, list: ['a'] } as const;
const path = fc.constantFrom<string | readonly [string, string]>(
  'name',
  'size',
  'count',
  'flag',
  'nothing',
  'none',
  ['map', 'x'],
  ['map', 'n'],
  ['map', 'none'],
);
const value = fc.constantFrom<Value>('a', 'b', 'm', 3, 5, 10, true, false, null);

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    fc.record({ absent: path }),
    fc.record({ present: path }),
    fc.record({ path, equals: value }),
    fc.record({ path, oneOf: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    fc.record({ path, atMost: fc.constantFrom<string | number>('a', 'b', 3, 5, 100) }),
    fc.record({ path, atLeast: fc.constantFrom(3, 5, 100) }),
    fc.record({ path, beginsWith: fc.constantFrom('a', 'b', 'ab') }),
    fc.record({ path: fc.constantFrom('name', 'list', 'none'), contains: fc.constantFrom('a', 'b') }),
    fc.record({ path: fc.constant('map'), fewerEntriesThan: fc.constantFrom(1, 2, 3) }),
    fc.record({ all: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('condition') }),
  ),
}));

const valueAt = (at: string | readonly [string, string]): unknown =>
  [at]
    .flat()
    .reduce<unknown>((within, name) => Object.entries(Object(within)).find(([key]) => key === name)?.[1], ITEM);

/**
 * Evaluates a condition without DynamoDB. Values of different types are never equal, and neither of them is less than
 * the other.
 */
function holds(wanted: Condition): boolean {
  if ('absent' in wanted) return valueAt(wanted.absent) === undefined;
  if ('present' in wanted) return valueAt(wanted.present) !== undefined;
  if ('all' in wanted) return wanted.all.every(holds);
  if ('any' in wanted) return wanted.any.some(holds);
  if ('not' in wanted) return !holds(wanted.not);
  const found = valueAt(wanted.path);
  if ('equals' in wanted) return found === wanted.equals;
  if ('oneOf' in wanted) return wanted.oneOf.some((one) => one === found);
  if ('fewerEntriesThan' in wanted) return Object.keys(Object(found)).length < wanted.fewerEntriesThan;
  if ('beginsWith' in wanted) return typeof found === 'string' && found.startsWith(wanted.beginsWith);
  if ('contains' in wanted) return [found].flat().includes(wanted.contains);
  if ('atLeast' in wanted) return typeof found === 'number' && found >= wanted.atLeast;
  if (typeof found === 'number' && typeof wanted.atMost === 'number') return found <= wanted.atMost;
  return typeof found === 'string' && typeof wanted.atMost === 'string' && found <= wanted.atMost;
}

describe('A condition', () => {
  test('An update with any combination of conditions succeeds if and only if the combination is true for the item', async () => {
    const { change } = await stage(ITEM);
    await fc.assert(
      fc.asyncProperty(condition, async (wanted) => {
        expect((await change({ set: [['name', 'a']] }, wanted)).done).toBe(holds(wanted));
      }),
      { numRuns: cases(300) },
    );
  });
});
