/** Damages files in the ways that networks, crashing machines and attackers do. */
import fc from 'fast-check';

/** Tokens of all formats that change the meaning of the text after them. */
const TOKENS: readonly string[] = [
  '<testsuite name="x">',
  '</testsuite>',
  '<testcase name="',
  '</testcase>',
  '<failure>',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<?',
  '<!DOCTYPE a [',
  '&#0;',
  '&#x10ffff;',
  '&lt;',
  '"',
  "'",
  '>',
  '<',
  '\u0000',
  '\u001b[31m',
  '\ufeff',
  '\ud800',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\u0000',
  'null',
  '1e999',
  '-',
  '"__proto__":',
  '"constructor":{',
  '\n',
  'PK\u0003\u0004',
  'PK\u0001\u0002',
  'PK\u0005\u0006',
  'PK\u0007\u0008',
  '<testsuite>'.repeat(100),
  '['.repeat(500),
  '{"a":'.repeat(500),
  `<a ${'b="c" '.repeat(300)}>`,
  `name="${'x'.repeat(70_000)}"`,
];

type Mutation = (bytes: Buffer) => Buffer;

/** A position in the file, as a fraction of its length. */
const place = fc.double({ min: 0, max: 1, noNaN: true });
const indexOf = (bytes: Buffer, part: number): number => Math.floor(part * bytes.length);

const flipped = fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 5 }).map(
  (flips): Mutation =>
    (bytes) => {
      const copy = Buffer.from(bytes);
      for (const [part, value] of flips) copy[indexOf(bytes, part)] = value;
      return copy;
    },
);
const truncated = place.map(
  (part): Mutation =>
    (bytes) =>
      bytes.subarray(0, indexOf(bytes, part)),
);
const withoutBeginning = place.map(
  (part): Mutation =>
    (bytes) =>
      bytes.subarray(indexOf(bytes, part)),
);
const repeatedPart = fc.tuple(place, place, fc.integer({ min: 1, max: 20 })).map(
  ([one, other, times]): Mutation =>
    (bytes) => {
      const start = indexOf(bytes, Math.min(one, other));
      const end = indexOf(bytes, Math.max(one, other));
      const part = bytes.subarray(start, end);
      return Buffer.concat([bytes.subarray(0, end), ...Array.from({ length: times }, () => part), bytes.subarray(end)]);
    },
);
const removedPart = fc.tuple(place, place).map(
  ([one, other]): Mutation =>
    (bytes) =>
      Buffer.concat([
        bytes.subarray(0, indexOf(bytes, Math.min(one, other))),
        bytes.subarray(indexOf(bytes, Math.max(one, other))),
      ]),
);
const insertedToken = fc.tuple(place, fc.constantFrom(...TOKENS)).map(
  ([part, token]): Mutation =>
    (bytes) =>
      Buffer.concat([
        bytes.subarray(0, indexOf(bytes, part)),
        Buffer.from(token),
        bytes.subarray(indexOf(bytes, part)),
      ]),
);

const weighted = <One>(all: readonly One[], weight: number) => all.map((arbitrary) => ({ arbitrary, weight }));

/** One to four mutations, applied one after another. The damaged file is cut to 1 MiB. */
export const anyDamage: fc.Arbitrary<Mutation> = fc
  .array(
    fc.oneof(
      ...weighted([flipped, repeatedPart, removedPart, insertedToken], 6),
      ...weighted([truncated, withoutBeginning], 1),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((all) => (bytes) => all.reduce((damaged, mutation) => mutation(damaged).subarray(0, MOST_BYTES), bytes));
const MOST_BYTES = 1024 * 1024;
