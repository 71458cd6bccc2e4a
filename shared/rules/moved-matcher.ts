/**
 * §4.4.11 Adds the present name of a test to the conditions of a rule that match its former name. The former name stays,
 * because other tests may still have it.
 */
import type { Rule } from '#shared/model/tests/rule.ts';
import type { ConditionValue, RuleCondition, RuleMatcher } from '#shared/model/tests/rule-matcher.ts';
import { LASTING, matchesRule } from './match.ts';
import { exactPattern, type NamedTest } from './quarantine-of-test.ts';
import { matchableOf } from './quarantines.ts';
import type { Renaming } from './renamed-tests.ts';

/** Whether a move changes the rule. Otherwise, a person has to edit it. */
export const isMovable = ({ matcher }: Pick<Rule, 'matcher'>, test: Renaming): boolean =>
  movedMatcher(matcher, test) !== undefined;

/** The conditions with both names. `undefined` if they cannot be changed in this way. */
export function movedMatcher({ op, cond }: RuleMatcher, { from, to }: Renaming): RuleMatcher | undefined {
  const moved = cond.map((condition) => movedCondition(condition, from, to));
  if (op === 'AND') return moved.every((one) => one !== undefined) ? { op, cond: moved } : undefined;
  const isMoved = moved.some((one, index) => one !== undefined && one !== cond[index]);
  return isMoved
    ? { op, cond: moved.map((one, index) => one ?? cond[index]).filter((one) => one !== undefined) }
    : undefined;
}

function movedCondition(condition: RuleCondition, from: NamedTest, to: NamedTest): RuleCondition | undefined {
  const { type, op, value } = condition;
  const holds = (test: NamedTest): boolean => matchesRule({ op: 'AND', cond: [condition] }, matchableOf(test));
  // Conditions about executions do not depend on the name.
  if (!LASTING.has(type) || holds(to)) return condition;
  if ((type !== 'file' && type !== 'title') || value === null || !holds(from)) return undefined;
  const values = listOf(value);
  const isOne = op === 'eq' && values.length === 1;
  if (!isOne && op !== 'in' && op !== 'inc') return undefined;
  const name = type === 'file' ? to.spec : (to.title.at(-1) ?? '');
  const pattern = exactPattern(name);
  const added = pattern === undefined ? name : { type: 'RegexPattern' as const, pattern };
  return { type, op: op === 'eq' ? 'in' : op, value: [...values, added] };
}

const listOf = (value: ConditionValue) => (typeof value === 'string' || 'type' in value ? [value] : value);
