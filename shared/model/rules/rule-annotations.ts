/** The types of the annotations that say which rules matched a test. Fixtures of test runners write them. */

export const RULE_OPERATIONS = ['skip', 'quarantine', 'tag'] as const;
export type RuleOperation = (typeof RULE_OPERATIONS)[number];

export const OF_REPORTERS = '_currents:';

/** Names the first matching rule of each kind. Further ones are named only if they changed the test. */
export const MATCH_TYPE = `${OF_REPORTERS}action:match`;

/** Names a rule that changed the test. */
export const getAppliedType = (operation: RuleOperation): string => `${OF_REPORTERS}rule:${operation}`;

export interface RuleAnnotation {
  readonly type: string;
  readonly description: string;
}

export const makeRuleAnnotation = (
  type: string,
  ruleId: string,
  operation: RuleOperation,
  tags?: readonly string[],
): RuleAnnotation => ({ type, description: JSON.stringify({ rule: { id: ruleId, type: operation }, tags }) });
