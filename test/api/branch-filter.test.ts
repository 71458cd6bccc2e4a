import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BranchFilter } from '#shared/results/branch-filter.ts';
import { cases } from '#test/harness/cases.ts';

const piece = fc.oneof(
  fc.constantFrom('*', '**', ' ', '\t', '\u00a0', 'é', '\u007f', '\u0000', 'main', 'release/', '~', '!'),
  fc.string({ maxLength: 3 }),
);
const value = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.nat(260).map((length) => 'b'.repeat(length)),
  fc.nat(260).map((length) => `${'b'.repeat(length)}*`),
);

/** Checks a branch filter by the rules of §4.1. */
function isBranchFilter(text: string): boolean {
  if (text.length === 0 || text.length > 250) return false;
  const printable = [...text].every((character) => character > ' ' && character < '\u007f');
  const star = text.indexOf('*');
  return printable && (star === -1 || star === text.length - 1);
}

describe('§4.1 A branch filter', () => {
  test('A branch filter is a name, or a prefix with one trailing `*`, of at most 250 printable ASCII characters other than spaces', () => {
    fc.assert(
      fc.property(value, (text) => {
        expect(BranchFilter.safeParse(text).success).toBe(isBranchFilter(text));
      }),
      {
        numRuns: cases(10_000),
        examples: [['*'], ['a*'], ['*a'], ['a**'], [''], ['b'.repeat(250)], ['b'.repeat(251)], [`${'b'.repeat(250)}*`]],
      },
    );
  });
});
