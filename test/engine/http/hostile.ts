/** Random values that would break code that does not validate its input. */
import fc from 'fast-check';
import { anyCharacter } from '#test/harness/any-character.ts';

const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\udc00b',
  '\ufffe',
  '\u{10ffff}',
  '#',
  '%',
  '~',
  '/',
  '../..',
  'a#b',
  '%23',
  '~'.repeat(44),
  '__proto__',
  'constructor',
  'toString',
  '=1+1',
  "'; --",
  '\u202e',
  '*',
  'é'.repeat(130),
  'x'.repeat(256),
  'x'.repeat(257),
  'x'.repeat(5000),
];

const NUMBERS = [0, -0, -1, 0.5, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 2 ** 63, 1e21, 1e125, 1e126, 1e300, -1e300, 5e-324];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

/** Any JSON value, including lone surrogates and numbers that the database cannot store. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(...NUMBERS, null, true, false, [], {}, [[]], [null], { a: { b: {} } }),
  fc.constantFrom(
    Array.from({ length: 200 }, (_, index) => String(index)),
    Array.from({ length: 60 }, () => 'same'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Dates and times in valid and invalid formats. */
export const hostileInstant: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '2026-11-02T10:00:00Z',
    '2026-11-02',
    '2026-11-02T10:00:00.123456789+05:30',
    '0000-01-01',
    '0001-01-01T00:00:00-14:00',
    '1969-12-31',
    '2026-02-30',
    '3084-12-31',
    '3100-01-01',
    '9999-12-31T23:59:59.999Z',
    '2026-11-02T24:00:00Z',
    '2026-11-02T25:00:00Z',
    '10000-01-01',
    '1793613600000',
  ),
  fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
  hostileText,
);

type Path = readonly (string | number)[];

/** The paths of the document itself and of every property and element in it, at any depth. */
function placesOf(document: unknown, at: Path = []): Path[] {
  if (typeof document !== 'object' || document === null) return [at];
  const below = Object.entries(document).flatMap(([name, value]) =>
    placesOf(value, [...at, Array.isArray(document) ? Number(name) : name]),
  );
  return [at, ...below];
}

/**
 * Returns a copy of the document with the value at this path replaced. If the new value of a property is `undefined`,
 * `JSON.stringify` leaves the property out.
 */
function replaced(document: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value;
  if (Array.isArray(document))
    return document.map((element, index) => (index === first ? replaced(element, rest, value) : element));
  if (typeof document !== 'object' || document === null) return document;
  return {
    ...document,
    [first]: replaced(Object.entries(document).find(([name]) => name === first)?.[1], rest, value),
  };
}

/** The document with one to three replaced values. */
export const mutated = (document: object): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.constantFrom(...placesOf(document)), fc.oneof(hostileValue, fc.constant(undefined))), {
      minLength: 1,
      maxLength: 3,
    })
    .map((changes) => changes.reduce<unknown>((changed, [path, value]) => replaced(changed, path, value), document));
