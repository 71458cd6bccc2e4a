/** Generates random rules and tests. They often match, because both consist of the same few words. */
import fc from 'fast-check';
import { CONDITION_TYPES, OPERATORS, type RuleCondition, type RuleMatcher } from '#shared/model/rules/rule-matcher.ts';
import type { Matchable } from '#shared/rules/match.ts';

const word = fc.constantFrom(
  'cart',
  'pays',
  'pay',
  'main',
  '@smoke',
  'smoke',
  'Ada',
  '2026-01-15T00:00:00Z',
  'ä#b',
  '',
);
const text = fc.oneof(
  word,
  fc.tuple(word, word).map((words) => words.join(' ')),
);
const pattern = fc
  .oneof(
    fc.constantFrom(
      '^pay',
      'cart|main',
      'a+',
      '(a+)+$',
      '(',
      '[a-z]{2,3}',
      '\\bsmoke\\b',
      '^$',
      '(?=pay)',
      '(?<!x)pay',
      '.',
    ),
    word,
  )
  .map((source) => ({ type: 'RegexPattern' as const, pattern: source }));
const time = fc.constantFrom(Date.UTC(2025, 0), Date.UTC(2026, 0, 15), Date.UTC(2026, 5));
const range = fc.record({ type: fc.constant('DateRange' as const), start: time, end: time, inclusive: fc.boolean() });
const value = fc.oneof({ weight: 4, arbitrary: text }, pattern, range);

const condition: fc.Arbitrary<RuleCondition> = fc.record({
  type: fc.constantFrom(...CONDITION_TYPES),
  op: fc.constantFrom(...OPERATORS),
  value: fc.oneof(
    { weight: 4, arbitrary: value },
    { weight: 4, arbitrary: fc.array(value, { maxLength: 4 }) },
    fc.constant(null),
  ),
});

export const anyMatcher: fc.Arbitrary<RuleMatcher> = fc.record({
  op: fc.constantFrom('AND', 'OR'),
  cond: fc.oneof(
    { weight: 6, arbitrary: fc.array(condition, { minLength: 1, maxLength: 1 }) },
    fc.array(condition, { maxLength: 4 }),
  ),
});

const gitFact = fc.option(text);
const gitInfo = fc.record(
  { branch: gitFact, authorName: gitFact, authorEmail: gitFact, remoteOrigin: gitFact, message: gitFact },
  { requiredKeys: [] },
);

export const anyMatchable: fc.Arbitrary<Matchable> = fc
  .tuple(
    fc.record({ title: text, file: text, project: text, testId: text, names: fc.array(text, { maxLength: 3 }) }),
    fc.record(
      {
        tag: fc.array(word, { maxLength: 3 }),
        gitInfo: fc.option(gitInfo),
        errors: fc.array(fc.record({ message: text }), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([{ names, ...always }, some]) => ({ ...always, titlePath: [always.file, ...names, always.title], ...some }));
