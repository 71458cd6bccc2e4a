import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkSearch } from '#shared/masking/mark-search.ts';
import { cases } from '#test/harness/cases.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'k', '_', '='), minLength: 1, maxLength: 4 });
const text = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'B', 'K', '_', '=', 'é', '\u{1f600}'), maxLength: 30 });

describe('The search for groups of words', () => {
  test('A search for several groups of words finds exactly the groups that have at least one word in the text, in upper or lower case', () => {
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 4 }), { maxLength: 6 }), text, (groups, searched) => {
        const lower = searched.toLowerCase();
        const expected = groups.flatMap((words, group) => (words.some((one) => lower.includes(one)) ? [group] : []));
        expect(new MarkSearch(groups).groupsIn(searched)).toEqual(expected);
      }),
      { numRuns: cases(2000, 200) },
    );
  });
});
