/** §4.4.11 Adds the present name of a test to a rule's conditions. The former one stays, because others may have it. */
import type { Rule } from '#shared/model/rules/rule.ts';
import type { ConditionValue, RuleCondition, RuleMatcher } from '#shared/model/rules/rule-matcher.ts';
import { isRuleMatch, LASTING } from './match.ts';
import { makeExactPattern, type NamedTest } from './quarantine-of-test.ts';
import { toMatchable } from './quarantines.ts';
import type { Renaming } from './renamed-tests.ts';

/** Whether a move changes the rule. Otherwise, a person has to edit it. */
export const isMovable = ({ matcher }: Pick<Rule, 'matcher'>, test: Renaming): boolean =>
  moveMatcher(matcher, test) !== undefined;

/** The conditions with both names. `undefined` if they cannot be changed in this way. */
export function moveMatcher({ op, cond }: RuleMatcher, { from, to }: Renaming): RuleMatcher | undefined {
  const movedConditions = cond.map((condition) => moveCondition(condition, from, to));
  if (op === 'AND')
    return movedConditions.every((one) => one !== undefined) ? { op, cond: movedConditions } : undefined;
  const isMoved = movedConditions.some((one, index) => one !== undefined && one !== cond[index]);
  return isMoved
    ? { op, cond: movedConditions.map((one, index) => one ?? cond[index]).filter((one) => one !== undefined) }
    : undefined;
}

function moveCondition(condition: RuleCondition, from: NamedTest, to: NamedTest): RuleCondition | undefined {
  const { type, op, value } = condition;
  const holds = (test: NamedTest): boolean => isRuleMatch({ op: 'AND', cond: [condition] }, toMatchable(test));
  // Conditions about executions do not depend on the name.
  if (!LASTING.has(type) || holds(to)) return condition;
  if ((type !== 'file' && type !== 'title') || value === null || !holds(from)) return undefined;
  const values = toList(value);
  const isOne = op === 'eq' && values.length === 1;
  if (!isOne && op !== 'in' && op !== 'inc') return undefined;
  const name = type === 'file' ? to.spec : (to.title.at(-1) ?? '');
  const pattern = makeExactPattern(name);
  const addedValue = pattern === undefined ? name : { type: 'RegexPattern' as const, pattern };
  return { type, op: op === 'eq' ? 'in' : op, value: [...values, addedValue] };
}

const toList = (value: ConditionValue) => (typeof value === 'string' || 'type' in value ? [value] : value);
