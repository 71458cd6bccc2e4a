/** Random values of item attributes. */
import fc from 'fast-check';
import type { Expiry } from '#shared/model/runs/expiry.ts';

/** Any text that UTF-8 can represent, including the characters that delimit the parts of keys. */
export const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', '#', '%23%', '~', '\u0000', 'a#b', 'x'.repeat(300), '\u{10ffff}', '\ufffd', 'null', '7'),
);
export const texts = fc.array(text, { maxLength: 3 });
export const textOrNull = fc.option(text);
export const hex = (characters: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: characters, maxLength: characters });
/** A time in epoch milliseconds. */
export const time = fc.integer({ min: 0, max: 32 ** 9 - 1 });
export const timeOrNull = fc.option(time);
export const count = fc.nat(100_000);
export const outcome = fc.constantFrom('passed', 'failed', 'pending', 'skipped');
export const timesByKey = fc.dictionary(hex(16), time, { maxKeys: 3, noNullPrototype: true });
export const owner = { organizationId: hex(16) };

/** An expiry time in epoch seconds, later than the clock of any test, because readers ignore expired rows. */
const laterSeconds = fc.integer({ min: 2 ** 32, max: 2 ** 40 });
const expiresAt = fc.option(laterSeconds, { nil: undefined });
export const expiring = { expiresAt };
/** The expiry times of results, evidence and files. Evidence and files expire with the results or earlier. */
export const expiry = fc.tuple(expiresAt, expiresAt, expiresAt).map(([results, evidence, files]): Expiry => {
  const within = (end: number | undefined) => (results === undefined ? end : Math.min(end ?? results, results));
  return { results, evidence: within(evidence), files: within(files) };
});

/** A record in which each of these properties is a string or null. */
export const nullable = <const Name extends string>(...names: readonly Name[]) =>
  fc.tuple(...names.map(() => textOrNull)).map((values): Record<Name, string | null> => {
    const entries = names.map((name, index) => [name, values[index] ?? null] as const);
    // `Object.fromEntries` loses the types of the names.
    return Object.fromEntries(entries) as Record<Name, string | null>;
  });

/** A record with all properties of the first record and some properties of the second record. */
export const withSome = <Always extends object, Sometimes extends object>(
  always: fc.Arbitrary<Always>,
  sometimes: { [Name in keyof Sometimes]: fc.Arbitrary<Sometimes[Name]> },
): fc.Arbitrary<Always & Partial<Sometimes>> =>
  fc
    .tuple(always, fc.record<Sometimes, never>(sometimes, { requiredKeys: [] }))
    .map(([all, some]) => ({ ...all, ...some }));
