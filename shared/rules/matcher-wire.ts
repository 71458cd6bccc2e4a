/** §4.4.11 The matcher of a rule: request and response schemas. */
import * as z from 'zod';
import { instant } from '#shared/engine/http/instant.ts';
import { atMost } from '#shared/engine/http/lists.ts';
import { text } from '#shared/model/names.ts';
import {
  CONDITION_TYPES,
  type ConditionType,
  type ConditionValue,
  OPERATORS,
  type Operator,
  type RuleMatcher,
} from '#shared/model/rules/rule-matcher.ts';
import { RULE_LIMITS } from './limits.ts';
import { findPatternProblem } from './safe-pattern.ts';

const RegexPattern = z
  .strictObject({
    type: z.literal('RegexPattern'),
    pattern: text(RULE_LIMITS.patternCharacters)
      .min(1)
      .superRefine((pattern, context) => {
        const problem = findPatternProblem(pattern);
        // The issue is an object, because the union would hide the message of an issue that is only a string.
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      })
      .meta({ description: 'A JavaScript regular expression without flags' }),
  })
  .meta({ id: 'RegexPatternInput' });

const DateRange = z
  .strictObject({
    type: z.literal('DateRange'),
    start: instant,
    end: instant,
    inclusive: z.boolean().default(true),
  })
  .meta({ id: 'DateRangeInput' });

const Text = text(RULE_LIMITS.valueCharacters).min(1);
const One = z.union([Text, z.discriminatedUnion('type', [RegexPattern, DateRange])], {
  error: `must be a string of 1 to ${RULE_LIMITS.valueCharacters} characters, a RegexPattern or a DateRange`,
});

/** They ignore the value. A string is stored anyway, because the published reporter skips a null value. */
const WITHOUT_VALUE: readonly Operator[] = ['any', 'empty'];
const LIST_OPERATORS: readonly Operator[] = ['inc', 'notInc', 'incAll', 'notIncAll'];
const SINGLE: readonly ConditionType[] = ['testId', 'project'];
const EXACT: readonly ConditionType[] = [...SINGLE, 'tag'];

const Condition = z
  .strictObject({
    type: z.enum(CONDITION_TYPES).meta({ description: 'The property of the test' }),
    op: z.enum(OPERATORS),
    value: z
      .union([One, atMost(RULE_LIMITS.valuesPerCondition, One, 1)])
      .nullish()
      .meta({ description: 'Texts or patterns. Not needed for `any` and `empty`' }),
  })
  .superRefine(({ type, op, value }, context) => {
    const refuse = (message: string, path: string) => context.addIssue({ code: 'custom', message, path: [path] });
    if (value == null && !WITHOUT_VALUE.includes(op)) refuse(`is required with \`${op}\``, 'value');
    if (SINGLE.includes(type) && LIST_OPERATORS.includes(op))
      refuse(`must be one of eq, neq, any, empty, in, notIn for \`${type}\``, 'op');
    if (EXACT.includes(type) && [value].flat().some((one) => typeof one === 'object' && one !== null))
      refuse(`must be a string or a list of strings for \`${type}\``, 'value');
  })
  .transform(({ type, op, value }): RuleMatcher['cond'][number] => ({
    type,
    op,
    value: WITHOUT_VALUE.includes(op) ? '' : (value ?? null),
  }))
  .meta({ id: 'RuleConditionInput' });

export const Matcher = z
  .strictObject({
    op: z.enum(['AND', 'OR']).meta({ description: 'Whether all conditions must hold, or at least one' }),
    cond: atMost(RULE_LIMITS.conditions, Condition, 1),
  })
  .refine((matcher) => Buffer.byteLength(JSON.stringify(matcher)) <= RULE_LIMITS.matcherBytes, {
    error: `must have at most ${RULE_LIMITS.matcherBytes} bytes. Use fewer or shorter values`,
  })
  .meta({ id: 'RuleMatcherInput' });

const ShownPattern = z.union([
  z.object({ type: z.literal('RegexPattern'), pattern: z.string() }).meta({ id: 'RegexPattern' }),
  z
    .object({ type: z.literal('DateRange'), start: z.string(), end: z.string(), inclusive: z.boolean() })
    .meta({ id: 'DateRange' }),
]);
const ShownOne = z.union([z.string(), ShownPattern]);

export const ShownMatcher = z
  .object({
    op: z.enum(['AND', 'OR']),
    cond: z.array(
      z
        .object({
          type: z.enum(CONDITION_TYPES),
          op: z.enum(OPERATORS),
          value: z.union([ShownOne, z.array(ShownOne)]).nullable(),
        })
        .meta({ id: 'RuleCondition' }),
    ),
  })
  .meta({ id: 'RuleMatcher' });

type PresentedMatcher = z.infer<typeof ShownMatcher>;

export const presentMatcher = ({ op, cond }: RuleMatcher): PresentedMatcher => ({
  op,
  cond: cond.map((condition) => ({ ...condition, value: presentValue(condition.value) })),
});

function presentValue(value: ConditionValue | null): PresentedMatcher['cond'][number]['value'] {
  if (value === null) return null;
  return isList(value) ? value.map(presentOne) : presentOne(value);
}

type SingleValue = Exclude<ConditionValue, readonly unknown[]>;
const isList = (value: ConditionValue): value is readonly SingleValue[] => Array.isArray(value);

const presentOne = (value: SingleValue): z.infer<typeof ShownOne> =>
  typeof value === 'object' && value.type === 'DateRange'
    ? { ...value, start: new Date(value.start).toISOString(), end: new Date(value.end).toISOString() }
    : value;
