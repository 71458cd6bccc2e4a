import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ERROR_LIMITS } from '#shared/errors/limits.ts';
import { readError } from '#shared/errors/read-error.ts';
import { anyCharacter } from '#test/harness/any-character.ts';
import { cases } from '#test/harness/cases.ts';

const SAMPLES = join(import.meta.dirname, '../samples/error-texts');

const Line = z.object({ text: z.string() });
const Reading = z.object({
  kind: z.string(),
  title: z.string(),
  matcher: z.string().nullable(),
  target: z.string().nullable(),
  expected: z.string().nullable(),
  received: z.string().nullable(),
  diff: z.array(Line.extend({ op: z.string() })).nullable(),
  location: z.object({ file: z.string(), line: z.number(), column: z.number().nullable() }).nullable(),
  frame: z.array(Line.extend({ line: z.number(), isFailing: z.boolean() })).nullable(),
  signals: z.object({ lastLog: z.string().nullable(), code: z.string().nullable() }),
});
type Reading = z.infer<typeof Reading>;
const Case = z.object({
  id: z.string(),
  message: z.string(),
  stack: z.string().nullable().default(null),
  snippet: z.string().optional(),
  type: z.string().optional(),
  expected: Reading,
});

const files = await readdir(SAMPLES);
const samples = (
  await Promise.all(
    files
      .filter((file) => file.endsWith('.json'))
      .map(async (file) => z.array(Case).parse(JSON.parse(await readFile(join(SAMPLES, file), 'utf8')))),
  )
).flat();

/** Collapses white space, because people who read a text do not notice how much white space it has. */
const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The fields that were read from an error, as texts that can be compared. An absent field is `null`. */
const fieldsOf = ({ signals, diff, location, frame, ...reading }: Reading): Record<string, string | null> => ({
  ...Object.fromEntries(
    Object.entries({ ...reading, ...signals }).map(([name, value]) => [name, value === null ? null : squeezed(value)]),
  ),
  diff: diff && JSON.stringify(diff.map(({ op, text }) => [op, squeezed(text)])),
  location: location && JSON.stringify([location.file, location.line, location.column]),
  frame: frame && JSON.stringify(frame.map(({ line, text, isFailing }) => [line, squeezed(text), isFailing])),
});

describe('Reading error texts', () => {
  test.each(samples.map((sample) => [sample.id, sample] as const))(
    'The fields that are read from the error %s are those that a person would read from it',
    (_, { expected, ...sample }) => {
      const read = Reading.parse(readError(sample));
      expect(fieldsOf(read)).toEqual(fieldsOf(expected));
    },
  );

  test('Reading random and mutated error texts never throws, and returns values of limited length', () => {
    const text = fc.oneof(
      fc.constantFrom(...samples.flatMap(({ message, stack }) => [message, stack ?? ''])),
      fc.string({ unit: anyCharacter, maxLength: 200 }),
    );
    const mutated = fc
      .tuple(text, text, fc.nat(2000), fc.nat(2000))
      .map(([one, other, at, from]) => one.slice(0, at) + other.slice(from) + one.slice(at));
    fc.assert(
      fc.property(mutated, mutated, fc.option(mutated), (message, stack, snippet) => {
        const { diff, frame, signals, location: _, ...texts } = readError({ message, stack, snippet });
        const values = [
          ...Object.values({ ...texts, ...signals }),
          ...[...(diff ?? []), ...(frame ?? [])].map((line) => line.text),
        ];
        for (const value of values) expect(value?.length ?? 0).toBeLessThanOrEqual(ERROR_LIMITS.valueCharacters + 1);
        expect(diff?.length ?? 0).toBeLessThanOrEqual(ERROR_LIMITS.diffLines);
        expect(frame?.length ?? 0).toBeLessThanOrEqual(ERROR_LIMITS.frameLines);
      }),
      { numRuns: cases(200) },
    );
  });

  test('The text of an error is ignored beyond the size limit', () => {
    const message = `Error: first\n${'x\n'.repeat(ERROR_LIMITS.readCharacters)}Expected: 1\nReceived: 2`;
    expect(readError({ message, stack: null })).toMatchObject({ title: 'first', expected: null, received: null });
  });

  test('HTML and direction marks in the values of an error are returned unchanged', () => {
    const value = '"<img src=x onerror=alert(1)>\u202e"';
    const { received } = readError({
      message: `Error: expect(received).toBe(expected)\n\nExpected: 1\nReceived: ${value}`,
      stack: null,
    });
    expect(received).toBe(value);
  });
});

test('A test class that JUnit cannot initialize counts as a setup problem, as does an unmet precondition', () => {
  const kindOf = (className: string) => {
    const stack = `${className}: 1 exception occurred\n    at org.junit.runners.ParentRunner.validate(ParentRunner.java:525)`;
    return readError({ message: `${className}: 1 exception occurred`, stack, snippet: null }).kind;
  };
  expect(kindOf('org.junit.runners.model.InitializationError')).toBe('setup');
  expect(kindOf('org.junit.platform.commons.PreconditionViolationException')).toBe('setup');
  expect(kindOf('java.lang.IllegalStateException')).not.toBe('setup');
});
