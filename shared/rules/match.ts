/**
 * §4.4.11 Decides whether a rule matches a test, exactly as `@currents/playwright` 2.5.0 does. So the tests that a rule
 * matches on our pages are the tests to which runners apply it.
 */
import type {
  ConditionType,
  ConditionValue,
  Operator,
  Pattern,
  RuleCondition,
  RuleMatcher,
} from '#shared/model/tests/rule-matcher.ts';
import { appliedPattern } from './safe-pattern.ts';

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
type Input = string | readonly string[] | null | undefined;
type Single = string | Pattern;
type Wanted = Single | readonly Single[];

/** A matcher without conditions matches nothing. */
export function matchesRule({ op, cond }: RuleMatcher, test: Matchable): boolean {
  if (cond.length === 0) return false;
  const matches = (condition: RuleCondition) => matchesCondition(condition, test);
  return op === 'AND' ? cond.every(matches) : cond.some(matches);
}

const NEGATED: ReadonlySet<Operator> = new Set(['empty', 'neq', 'notIn', 'notInc', 'notIncAll']);
const EXACT: ReadonlySet<ConditionType> = new Set(['project', 'testId', 'tag']);

function matchesCondition({ type, op, value }: RuleCondition, test: Matchable): boolean {
  // The reporter never applies conditions about annotations, or conditions without a value.
  if (type === 'annotation' || value === null) return false;
  const input = inputOf(type, test);
  const wanted = type === 'tag' ? bareTags(value) : value;
  const holds =
    EXACT.has(type) && !hasPattern(wanted) ? holdsExactly(op, input, wanted) : holdsLoosely(op, input, wanted);
  return NEGATED.has(op) ? !holds : holds;
}

function inputOf(type: Exclude<ConditionType, 'annotation'>, test: Matchable): Input {
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
      return test.tag?.map(bareTag);
    case 'error_message':
      return test.errors?.map(({ message }) => message);
    default:
      return test[type];
  }
}

const bareTag = (tag: string): string => (tag.startsWith('@') ? tag.slice(1) : tag);

function bareTags(value: ConditionValue): ConditionValue {
  if (typeof value === 'string') return bareTag(value);
  return isList(value) ? value.map((one) => (typeof one === 'string' ? bareTag(one) : one)) : value;
}

const isList = (value: Wanted): value is readonly Single[] => Array.isArray(value);
const listOf = (value: Wanted): readonly Single[] => (isList(value) ? value : [value]);
const textsOf = (input: Input): readonly (string | null | undefined)[] =>
  typeof input === 'string' || input == null ? [input] : input;
const isManyOf = (input: Input): input is readonly string[] => typeof input === 'object' && input !== null;
const hasPattern = (value: Wanted): boolean => listOf(value).some((one) => typeof one === 'object');

const isPresent = (input: Input): boolean => (isManyOf(input) ? input.length > 0 : Boolean(input));

function holdsExactly(op: Operator, input: Input, wanted: Wanted): boolean {
  const values: ReadonlySet<unknown> = new Set(listOf(wanted));
  const texts: ReadonlySet<unknown> = new Set(textsOf(input));
  switch (op) {
    case 'any':
    case 'empty':
      return isPresent(input);
    case 'eq':
    case 'neq':
      return isManyOf(input) || isList(wanted) ? isSameSet(texts, values) : input === wanted;
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
function holdsLoosely(op: Operator, input: Input, wanted: Wanted): boolean {
  if (op === 'any' || op === 'empty') return isPresent(input);
  const needsAll = op === 'eq' || op === 'neq' || op === 'incAll' || op === 'notIncAll';
  const matchesOne = (value: Single) => textsOf(input).some((text) => matchesText(text, value));
  return needsAll ? listOf(wanted).every(matchesOne) : listOf(wanted).some(matchesOne);
}

/** Whether a text contains the value, matches the regular expression, or is a time in the range. */
function matchesText(text: string | null | undefined, value: Single): boolean {
  if (typeof text !== 'string') return false;
  if (typeof value === 'string') return value === '' ? text === '' : text.includes(value);
  if (value.type === 'RegexPattern') return appliedPattern(value.pattern)?.test(text) ?? false;
  const time = new Date(text).getTime();
  return value.inclusive ? time >= value.start && time <= value.end : time > value.start && time < value.end;
}

/**
 * The types of conditions that can be checked without an execution: properties that are the same in every execution of
 * a test, and annotations, because a condition about them never matches. Other properties are read from the latest
 * execution.
 */
export const LASTING: ReadonlySet<ConditionType> = new Set(['title', 'titlePath', 'file', 'annotation']);

/** The conditions about lasting properties that every match must meet. `undefined` if there are none. */
export function lastingPart({ op, cond }: RuleMatcher): RuleMatcher | undefined {
  const own = cond.filter(({ type }) => LASTING.has(type));
  return op === 'OR'
    ? own.length === cond.length
      ? { op, cond }
      : undefined
    : own.length > 0
      ? { op, cond: own }
      : undefined;
}
