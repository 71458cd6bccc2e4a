/** Generates any Unicode character, for the texts of property tests. */
import fc from 'fast-check';

const CODE_POINTS = 0x110000;
const FIRST_HALF = 0xd800;
/** The number of surrogate code points, which are not characters. */
const HALVES = 0x800;

/**
 * Any code point except surrogates. `unit: 'binary'` of fast-check has the same values, but builds a map of all of
 * them, which takes half a CPU second and 140 MB per process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(CODE_POINTS - HALVES - 1)
  .map((place) => String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES), placeOf);

/**
 * Returns the number that is mapped to this character. fast-check needs this function to try its list of dangerous
 * names such as `__proto__`.
 */
function placeOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('Expected a single character');
  return point < FIRST_HALF ? point : point - HALVES;
}
