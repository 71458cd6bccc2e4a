/** The stored form of the conditions and the actions of a rule. `rules/rule-wire.ts` validates it. */

export const CONDITION_TYPES = [
  'testId',
  'project',
  'title',
  'file',
  'titlePath',
  'tag',
  'annotation',
  'error_message',
  'git_branch',
  'git_authorName',
  'git_authorEmail',
  'git_remoteOrigin',
  'git_message',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const OPERATORS = ['eq', 'neq', 'any', 'empty', 'in', 'notIn', 'inc', 'notInc', 'incAll', 'notIncAll'] as const;
export type Operator = (typeof OPERATORS)[number];

interface RegexPattern {
  readonly type: 'RegexPattern';
  readonly pattern: string;
}

/** Epoch milliseconds, because the published reporter compares them with a `Date`. */
interface DateRange {
  readonly type: 'DateRange';
  readonly start: number;
  readonly end: number;
  readonly inclusive: boolean;
}

export type Pattern = RegexPattern | DateRange;
export type ConditionValue = string | Pattern | readonly (string | Pattern)[];

export interface RuleCondition {
  readonly type: ConditionType;
  readonly op: Operator;
  readonly value: ConditionValue | null;
}

export interface RuleMatcher {
  readonly op: 'AND' | 'OR';
  readonly cond: readonly RuleCondition[];
}

export type RuleAction =
  | { readonly op: 'skip' | 'quarantine' }
  | { readonly op: 'tag'; readonly details: { readonly tags: readonly string[] } };
