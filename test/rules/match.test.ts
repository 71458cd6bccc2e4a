import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRuleMatch } from '#shared/rules/match.ts';
import { cases } from '#test/harness/cases.ts';
import { anyMatchable, anyMatcher } from './any-rule.ts';
import { reporterMatcher } from './reporter-matcher.ts';

const PAIRS = 200;
const SAMPLE = 500;

describe('The evaluation of a rule', () => {
  test('A rule matches exactly the same tests in this service as in the published reporter', async () => {
    const reporter = await reporterMatcher();
    let matched = 0;
    let tried = 0;
    fc.assert(
      fc.property(anyMatcher, anyMatchable, (matcher, matchable) => {
        const expected = reporter.matchRule({ matcher }, matchable);
        tried += 1;
        matched += expected ? 1 : 0;
        expect(isRuleMatch(matcher, matchable)).toBe(expected);
      }),
      { numRuns: cases(PAIRS, SAMPLE) },
    );
    // If the generated rules and tests never matched, or always did, the comparison would prove nothing.
    expect(matched / tried).toBeGreaterThan(0.2);
    expect(matched / tried).toBeLessThan(0.8);
  });
});
