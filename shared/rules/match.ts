/** §4.4.11 Decides whether a rule matches a test, exactly as `@currents/playwright` 2.5.0 does for runners. */
import { removeControlSequences } from '#shared/engine/plain-text.ts';
import type {
  ConditionType,
  ConditionValue,
  Operator,
  Pattern,
  RuleCondition,
  RuleMatcher,
} from '#shared/model/rules/rule-matcher.ts';
import { compileAppliedPattern } from './safe-pattern.ts';

/** A test as a runner describes it. An absent member is unknown to the runner. */
export interface Matchable {
  readonly title: string;
  /** The spec file, followed by the titles of the enclosing suites and of the test. */
  readonly titlePath: readonly string[];
  readonly file: string;
  readonly project: string;
  readonly testId: string;
  readonly tag?: readonly string[];
  readonly gitInfo?: Readonly<Partial<Record<GitFact, string | null>>> | null;
  readonly errors?: readonly { readonly message: string }[];
}

type GitFact = 'branch' | 'authorName' | 'authorEmail' | 'remoteOrigin' | 'message';
type MatchInput = string | readonly string[] | null | undefined;
type SingleValue = string | Pattern;
type ExpectedValue = SingleValue | readonly SingleValue[];

/** Without color codes: assertion libraries color parts of words, and a condition would not find such a word. */
export const toMatchableErrors = (messages: readonly string[]): Matchable['errors'] =>
  messages.map((message) => ({ message: removeControlSequences(message) }));

/** A matcher without conditions matches nothing. */
export function isRuleMatch({ op, cond }: RuleMatcher, test: Matchable): boolean {
  if (cond.length === 0) return false;
  const matches = (condition: RuleCondition) => isConditionMet(condition, test);
  return op === 'AND' ? cond.every(matches) : cond.some(matches);
}

const NEGATED: ReadonlySet<Operator> = new Set(['empty', 'neq', 'notIn', 'notInc', 'notIncAll']);
const EXACT: ReadonlySet<ConditionType> = new Set(['project', 'testId', 'tag']);

function isConditionMet({ type, op, value }: RuleCondition, test: Matchable): boolean {
  // The reporter never applies conditions about annotations, or conditions without a value.
  if (type === 'annotation' || value === null) return false;
  const input = getInput(type, test);
  const expectedValue = type === 'tag' ? stripTags(value) : value;
  const holds =
    EXACT.has(type) && !hasPattern(expectedValue)
      ? isExactMatch(op, input, expectedValue)
      : isLooseMatch(op, input, expectedValue);
  return NEGATED.has(op) ? !holds : holds;
}

function getInput(type: Exclude<ConditionType, 'annotation'>, test: Matchable): MatchInput {
  switch (type) {
    case 'git_branch':
      return test.gitInfo?.branch;
    case 'git_authorName':
      return test.gitInfo?.authorName;
    case 'git_authorEmail':
      return test.gitInfo?.authorEmail;
    case 'git_remoteOrigin':
      return test.gitInfo?.remoteOrigin;
    case 'git_message':
      return test.gitInfo?.message;
    case 'tag':
      return test.tag?.map(stripTag);
    case 'error_message':
      return test.errors?.map(({ message }) => message);
    default:
      return test[type];
  }
}

const stripTag = (tag: string): string => (tag.startsWith('@') ? tag.slice(1) : tag);

function stripTags(value: ConditionValue): ConditionValue {
  if (typeof value === 'string') return stripTag(value);
  return isList(value) ? value.map((one) => (typeof one === 'string' ? stripTag(one) : one)) : value;
}

const isList = (value: ExpectedValue): value is readonly SingleValue[] => Array.isArray(value);
const toList = (value: ExpectedValue): readonly SingleValue[] => (isList(value) ? value : [value]);
const toTexts = (input: MatchInput): readonly (string | null | undefined)[] =>
  typeof input === 'string' || input == null ? [input] : input;
const isTextList = (input: MatchInput): input is readonly string[] => typeof input === 'object' && input !== null;
const hasPattern = (value: ExpectedValue): boolean => toList(value).some((one) => typeof one === 'object');

const isPresent = (input: MatchInput): boolean => (isTextList(input) ? input.length > 0 : Boolean(input));

function isExactMatch(op: Operator, input: MatchInput, expectedValue: ExpectedValue): boolean {
  const values: ReadonlySet<unknown> = new Set(toList(expectedValue));
  const texts: ReadonlySet<unknown> = new Set(toTexts(input));
  switch (op) {
    case 'any':
    case 'empty':
      return isPresent(input);
    case 'eq':
    case 'neq':
      return isTextList(input) || isList(expectedValue) ? isSameSet(texts, values) : input === expectedValue;
    case 'incAll':
    case 'notIncAll':
      return [...values].every((value) => texts.has(value));
    default:
      return [...values].some((value) => texts.has(value));
  }
}

const isSameSet = (one: ReadonlySet<unknown>, other: ReadonlySet<unknown>): boolean =>
  one.size === other.size && [...one].every((value) => other.has(value));

/**
 * Whether a condition holds for an input, before a negated operator is applied. `any` and `empty` ignore the values.
 * With `eq`, `incAll` and their negations, every value must match. With other operators, one matching value is enough.
 */
function isLooseMatch(op: Operator, input: MatchInput, expectedValue: ExpectedValue): boolean {
  if (op === 'any' || op === 'empty') return isPresent(input);
  const needsAll = op === 'eq' || op === 'neq' || op === 'incAll' || op === 'notIncAll';
  const matchesOne = (value: SingleValue) => toTexts(input).some((text) => isTextMatch(text, value));
  return needsAll ? toList(expectedValue).every(matchesOne) : toList(expectedValue).some(matchesOne);
}

/** Whether a text contains the value, matches the regular expression, or is a time in the range. */
function isTextMatch(text: string | null | undefined, value: SingleValue): boolean {
  if (typeof text !== 'string') return false;
  if (typeof value === 'string') return value === '' ? text === '' : text.includes(value);
  if (value.type === 'RegexPattern') return compileAppliedPattern(value.pattern)?.test(text) ?? false;
  const time = new Date(text).getTime();
  return value.inclusive ? time >= value.start && time <= value.end : time > value.start && time < value.end;
}

/** Properties that all executions of a test share, and annotations, which never match. Others need an execution. */
export const LASTING: ReadonlySet<ConditionType> = new Set(['title', 'titlePath', 'file', 'annotation']);

/** The lasting conditions that every match must meet. `undefined` if there are none. */
export function pickLastingPart({ op, cond }: RuleMatcher): RuleMatcher | undefined {
  const lastingConditions = cond.filter(({ type }) => LASTING.has(type));
  // One of several alternatives may be about executions, and then a match need not meet the others.
  const isUsable = op === 'OR' ? lastingConditions.length === cond.length : lastingConditions.length > 0;
  return isUsable ? { op, cond: lastingConditions } : undefined;
}
