import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, computeDigest, encodeInstant, encodeSegment } from '#shared/engine/table/keys.ts';
import { anyCharacter } from '#test/harness/any-character.ts';
import { cases } from '#test/harness/cases.ts';

/** DynamoDB's own limits. */
const PARTITION_KEY_BYTES = 2048;
const SORT_KEY_BYTES = 1024;

// Characters that have a special meaning in keys, and characters that an encoder might confuse.
const PIECES = [
  '#',
  '%',
  '~',
  '/',
  '\u0000',
  '\u001f',
  '\u007f',
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
  '\ufffd',
  '\u{1f600}',
  '\u{10ffff}',
  '%23',
  '%23%',
  '%0%',
  '%d800%',
  '%%',
  'RUN',
  'ORG',
  'a',
  'A',
  'é',
  'e\u0301',
  ' ',
  '',
  '=',
  '-',
  '_',
  '.',
  'x'.repeat(179),
  'x'.repeat(180),
  'x'.repeat(181),
  'é'.repeat(90),
  '#'.repeat(60),
  'y'.repeat(4096),
];
const part = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 20 }) },
  // A part that is itself an encoded segment, such as a hash.
  { weight: 1, arbitrary: fc.constantFrom(...PIECES).map((piece) => encodeSegment(piece)) },
);
const tuple = fc.array(part, { minLength: 1, maxLength: 4 });

/** The number of keys that are kept for comparison. Millions of keys would need gigabytes. */
const REMEMBERED = 200_000;

/** A simple reference encoding of the parts, which never collides. */
const named = (parts: readonly string[]): string =>
  JSON.stringify(parts.map((text) => [...text].map((c) => c.codePointAt(0))));

describe('Composed keys', () => {
  test('Composed keys never collide for hostile parts, and stay below the size limits of DynamoDB', () => {
    const owners = new Map<string, string>();
    let distinct = 0;
    fc.assert(
      fc.property(tuple, (parts) => {
        if (owners.size === REMEMBERED) owners.clear();
        const key = composeKey('RUN', ...parts);
        const bytes = Buffer.byteLength(key);
        if (bytes > SORT_KEY_BYTES || bytes > PARTITION_KEY_BYTES) throw new Error(`The key has ${bytes} bytes`);
        if (!key.isWellFormed()) throw new Error('The key contains a lone surrogate');
        const owner = named(parts);
        const other = owners.get(key) ?? owner;
        if (other !== owner) throw new Error(`${other} and ${owner} have the same key: ${key}`);
        if (!owners.has(key)) distinct += 1;
        owners.set(key, owner);
      }),
      { numRuns: cases(100_000, 20_000) },
    );
    expect(distinct).toBeGreaterThan(4000);
  });

  test.each([
    [['o1#RUN#r1'], ['o1', 'RUN', 'r1']],
    [['a', ''], ['a']],
    [
      ['', 'a'],
      ['a', ''],
    ],
    [['a#'], ['a', '']],
    [['%23%'], ['#']],
    [['\ud800'], ['\ufffd']],
    [['\ud800'], ['\ud801']],
    [[encodeSegment('x'.repeat(300))], ['x'.repeat(300)]],
    [['x'.repeat(300)], ['x'.repeat(301)]],
  ])('Composed keys of %j and %j are different', (one, other) => {
    expect(composeKey('RUN', ...one)).not.toBe(composeKey('RUN', ...other));
  });

  test('keep ordinary ids readable', () => {
    expect(composeKey('RUN', '65f0c1', 'release/1.0 é')).toBe('RUN#65f0c1#release/1.0 é');
  });
});

describe('Prefixes', () => {
  test('The key prefix of an id matches keys below this id, and no keys of a longer id', () => {
    const inUtf8 = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
    fc.assert(
      fc.property(part, part, part, (parent, more, child) => {
        const { from, to } = getPrefixSpan('pk', composePrefix('RUN', parent));
        const isWithin = (key: string) => inUtf8(from, key) <= 0 && inUtf8(key, to) <= 0;
        expect(isWithin(composeKey('RUN', parent, child))).toBe(true);
        if (more !== '') expect(isWithin(composeKey('RUN', parent + more, child))).toBe(false);
      }),
      { numRuns: cases(20_000, 5000) },
    );
  });

  test('The key prefix of `A#1` does not match `A#10`', () => {
    expect(composeKey('A', '10', 'x').startsWith(composePrefix('A', '1'))).toBe(false);
    expect(composeKey('A', '1', 'x').startsWith(composePrefix('A', '1'))).toBe(true);
  });
});

describe('Digests', () => {
  test('differ if the parts differ, or if the same text is divided into different parts', () => {
    const owners = new Map<string, string>();
    const wellFormed = fc.array(
      part.map((text) => text.toWellFormed()),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(wellFormed, (parts) => {
        if (owners.size === REMEMBERED) owners.clear();
        const owner = owners.get(computeDigest(32, ...parts)) ?? named(parts);
        owners.set(computeDigest(32, ...parts), owner);
        return owner === named(parts);
      }),
      { numRuns: cases(20_000, 5000) },
    );
  });

  test('have the requested length', () => {
    for (const characters of [12, 16, 32])
      expect(computeDigest(characters, 'a')).toMatch(new RegExp(`^[0-9a-f]{${characters}}$`));
  });
});

describe('Instants in keys', () => {
  const LAST = 32 ** 9 - 1;

  test('Encoded timestamps sort like their numbers, and all have the same length', () => {
    const instant = fc.integer({ min: 0, max: LAST });
    fc.assert(
      fc.property(instant, instant, (one, other) => {
        expect(encodeInstant(one)).toHaveLength(9);
        expect(encodeInstant(one) < encodeInstant(other)).toBe(one < other);
      }),
      {
        examples: [
          [0, 1],
          [31, 32],
          [LAST - 1, LAST],
        ],
      },
    );
  });

  test('Encoded timestamps before 1970 equal the earliest one, and those after the year 3084 equal the latest one', () => {
    for (const milliseconds of [-1, -1e15, Number.NEGATIVE_INFINITY])
      expect(encodeInstant(milliseconds)).toBe('000000000');
    for (const milliseconds of [LAST + 1, 8.64e15]) expect(encodeInstant(milliseconds)).toBe('vvvvvvvvv');
  });
});
