/** Recognizes failed assertions of chai, Vitest, node:assert, Testing Library, Python and JUnit. */

import { ERROR_LIMITS } from './limits.ts';
import type { ErrorReader, Finding } from './parsed-error.ts';
import { normalizeHeadline } from './variable-parts.ts';

const makeAssertionFinding = (action: string | null, target: string | null = null): Finding => ({
  category: 'Assertion',
  action,
  target,
});

const ELEMENT =
  /^(?:Unable to find|Found (?:multiple|an?)) (?:an? )?(?:accessible )?(?:elements?|label) (?:with (?:the )?|by: )(\S.{0,2048})$/;
const END_OF_ELEMENT = /\. This could be because |, however no form control |\.$/;
/** Assertions that Testing Library and Vitest retry until they hold, such as `waitFor`. */
const REPEATED = /^Timed out in (wait\w{1,64})/;

/** Its errors name the element that was searched for. Also recognizes timeouts of retried assertions. */
const recognizeTestingLibrary: ErrorReader = ({ headline }) => {
  const element = ELEMENT.exec(headline)?.[1];
  if (element !== undefined) return makeAssertionFinding('find', element.split(END_OF_ELEMENT, 1)[0] ?? null);
  const waitMethod = REPEATED.exec(headline)?.[1];
  return waitMethod === undefined ? undefined : { category: 'Async Assertion', action: waitMethod, target: null };
};

/** Matches the chainer of an assertion: the words between `to`, `not to` or `to not` and the first value. */
const CHAINER = / (not to|to not|to) ((?:(?!(?:true|false|null|undefined|but)\b)[a-z]{1,32} ?){1,8})/;

/** Such as `have text`. Quoted texts are replaced first, so that they cannot look like a chainer. */
export function findChainer(headline: string): string | null {
  const sentence = normalizeHeadline(headline);
  const expectedAt = sentence.search(/\bexpected\b/);
  if (expectedAt === -1) return null;
  const [, to = '', words] = CHAINER.exec(sentence.slice(expectedAt + 'expected'.length)) ?? [];
  if (words === undefined) return null;
  return to === 'to' ? words.trim() : `not ${words.trim()}`;
}

/** Without the name of an assertion error, `expected` must come first: other errors may contain the same words. */
const recognizeChainer: ErrorReader = ({ name, headline }) => {
  if (!headline.startsWith('expected ') && !(name !== null && NAME.test(name))) return undefined;
  const action = findChainer(headline);
  return action === null ? undefined : makeAssertionFinding(action);
};

const NODE_MESSAGES: readonly (readonly [beginning: string, method: string])[] = [
  ['Expected values to be strictly equal', 'strictEqual'],
  ['Expected values to be strictly deep-equal', 'deepStrictEqual'],
  ['Expected values to be loosely deep-equal', 'deepEqual'],
  ['Expected values to be partially and strictly deep-equal', 'partialDeepStrictEqual'],
  ['Expected "actual" to be strictly unequal to', 'notStrictEqual'],
  ['Expected "actual" not to be strictly deep-equal to', 'notDeepStrictEqual'],
  ['Expected "actual" not to be loosely deep-equal to', 'notDeepEqual'],
  ['Expected "actual" to be reference-equal to', 'strictEqual'],
  ['Expected "actual" not to be reference-equal to', 'notStrictEqual'],
  ['Values identical but not reference-equal', 'strictEqual'],
  ['Values have same structure but are not reference-equal', 'strictEqual'],
  ['The expression evaluated to a falsy value', 'ok'],
  ['No value argument passed to `assert', 'ok'],
  ['Missing expected exception', 'throws'],
  ['Missing expected rejection', 'rejects'],
  ['Got unwanted exception', 'doesNotThrow'],
  ['Got unwanted rejection', 'doesNotReject'],
  ['The input did not match the regular expression', 'match'],
  ['The input was expected to not match the regular expression', 'doesNotMatch'],
  ['ifError got unwanted exception', 'ifError'],
];

const recognizeNodeAssert: ErrorReader = ({ headline }) => {
  const method = NODE_MESSAGES.find(([beginning]) => headline.startsWith(beginning))?.[1];
  return method === undefined ? undefined : makeAssertionFinding(method);
};

const OPERATOR = / (===|!==|==|!=|<=|>=|<|>|not in|in|is not|is) /;
/** A normalized message of Python's unittest, which usually begins with a value. */
const UNITTEST_OPERATOR =
  /^(?:[A-Z]\w{0,32} differ: |Regex didn't match: )?(?:<text>|[+-]?<n>|None|True|False)? (!=|==|is not an instance of|is not|is|not found in|unexpectedly found in|not (?:greater|less) than(?: or equal to)?) /;

/** Python's `assert`. The operator of the assertion is the one outside brackets and quoted texts. */
const recognizePythonAssert: ErrorReader = ({ headline, lines }) => {
  const firstLines = [headline, ...lines.slice(1, ERROR_LIMITS.matcherLines)].map((line) => line.trim());
  const statement =
    firstLines.find((line) => /^assert\b(?! ?\()/.test(line)) ?? firstLines.find((line) => line.startsWith('assert ('));
  if (statement === undefined) return undefined;
  const operator = OPERATOR.exec(removeBracketedText(normalizeHeadline(statement)))?.[1];
  if (operator !== undefined) return makeAssertionFinding(operator);
  return makeAssertionFinding(statement.startsWith('assert not ') ? 'not' : null);
};

const recognizeUnittest: ErrorReader = ({ name, headline }) => {
  if (name !== 'AssertionError') return undefined;
  const operator = UNITTEST_OPERATOR.exec(removeBracketedText(normalizeHeadline(headline)))?.[1];
  return operator === undefined ? undefined : makeAssertionFinding(operator);
};

function removeBracketedText(text: string): string {
  let depth = 0;
  let rest = '';
  for (const character of text) {
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
    else if (depth === 0) rest += character;
  }
  return rest;
}

const SNAPSHOT = /^(?:A snapshot doesn't exist at (.{1,2304}?), writing actual|Snapshot `([^`]{1,255})` mismatched)/;
const RAISED = /^DID NOT (RAISE|WARN)\b/;

/** Recognizes failed snapshots, and failures of pytest's `raises` and `warns`, by fixed phrases. */
const recognizePhrase: ErrorReader = ({ headline }) => {
  const snapshot = SNAPSHOT.exec(headline);
  if (snapshot)
    return makeAssertionFinding('toMatchSnapshot', snapshot[1]?.split(/[\\/]/).at(-1) ?? snapshot[2] ?? null);
  const keyword = RAISED.exec(headline)?.[1];
  return keyword === undefined ? undefined : makeAssertionFinding(keyword === 'RAISE' ? 'raises' : 'warns');
};

/** The message of a failed equality assertion in JUnit, TestNG or AssertJ. */
const EQUAL = /^(?: ==> )?expected:? ?[<[].{0,4096}?[>\]] (?:but was|but found)/i;
const recognizeJavaAssertion: ErrorReader = ({ headline }) => {
  // If the test passed a message to the assertion, JUnit puts it before the comparison.
  const comparison = headline.slice(Math.max(0, headline.search(/ ==> expected/i)));
  return EQUAL.test(comparison) ? makeAssertionFinding('equal') : undefined;
};

const NAME = /^(?:\w{0,64}Assertion\w{0,16}Error|AssertionError|ComparisonFailure|MultipleFailuresError)$/;
const recognizeAssertionName: ErrorReader = ({ name }) =>
  name !== null && NAME.test(name) ? makeAssertionFinding(null) : undefined;

/** The rules in order of priority. */
export const ASSERTIONS: readonly ErrorReader[] = [
  recognizeTestingLibrary,
  recognizeJavaAssertion,
  recognizeNodeAssert,
  recognizePhrase,
  recognizeChainer,
  recognizePythonAssert,
  recognizeUnittest,
  recognizeAssertionName,
];
