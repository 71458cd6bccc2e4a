/** Reads errors of PHPUnit. */

import { parseLocation } from './code-frame.ts';
import { MINUS_IS_EXPECTED, parseDiff } from './diff.ts';
import {
  BLANK,
  findInLines,
  findTextAfter,
  getFirstText,
  getLinesAfter,
  getLinesBefore,
  isBlank,
  splitAt,
  splitLines,
} from './error-lines.ts';
import type { ErrorTexts, PartialReading, Values } from './reading.ts';
import { decideTextKind } from './text-kind.ts';

export const isPhp = ({ stack, type }: ErrorTexts): boolean =>
  /^PHPUnit\\/.test(type) || /^\/?[^\s:]{1,500}\.php:\d{1,7}$/m.test(stack);

/** The words that separate the received value from the expected value in a message of PHPUnit. */
const COMPARISON_WORDS = [
  ' is identical to ',
  ' are identical to ',
  ' is equal to ',
  ' are equal to ',
  ' matches expected size ',
  ' matches expected ',
  ' matches PCRE pattern ',
  ' matches regular expression ',
  ' is an instance of class ',
  ' is an instance of interface ',
  ' is of type ',
  ' is greater than ',
  ' is less than ',
  ' contains only instances of ',
  ' contains ',
  ' starts with ',
  ' ends with ',
  ' has the key ',
  ' matches ',
  ' is ',
] as const;

export function readPhp({ message, stack, type }: ErrorTexts): PartialReading {
  const lines = splitLines(stack === '' ? message : stack);
  const start = lines.findIndex((line) => !isBlank(line));
  const isNamed = /^[\w\\]{1,300}::\w{1,300}/.test(lines[start] ?? '');
  const body = lines.slice(isNamed ? start + 1 : start);
  const place = findInLines(body, (line) => /^\S{1,1000}\.php:\d{1,7}$/.exec(line)?.[0]);
  const title = getFirstText(body);
  const sentence = body.find((line) => /^Failed asserting that /.test(line)) ?? '';
  const diff = parseDiff(getLinesBefore(getLinesAfter(body, /^\+\+\+ Actual/), BLANK), MINUS_IS_EXPECTED);
  const isAssertion = /^PHPUnit\\/.test(type) || sentence !== '';
  return {
    title,
    kind: isAssertion ? 'assertion' : decideTextKind(title),
    ...(diff ? { diff } : parsePhpValues(sentence)),
    location: parseLocation(place ?? ''),
  };
}

const EXCEPTION =
  /^Failed asserting that exception of type "([^"]{1,300})" (?:is thrown|matches expected exception "([^"]{1,300})")/;

function parsePhpValues(sentence: string): Values {
  const [, exception, expectedException] = EXCEPTION.exec(sentence) ?? [];
  if (expectedException !== undefined) return { expected: expectedException, received: exception };
  if (exception !== undefined) return { expected: exception };
  const claim =
    findTextAfter(
      sentence,
      'Failed asserting that exception message ',
      'Failed asserting that actual size ',
      'Failed asserting that ',
    ) ?? '';
  if (/^two (?:strings|arrays|objects|variables)/.test(claim)) return {};
  // A quoted value may itself contain some of `COMPARISON_WORDS`, so it is skipped first.
  const quotedValue = /^(?:'[^']{0,2000}'|"[^"]{0,2000}")/.exec(claim)?.[0] ?? '';
  const [between = '', expectedText] = splitAt(claim.slice(quotedValue.length), ...COMPARISON_WORDS) ?? [];
  if (expectedText === undefined) return {};
  return { received: quotedValue + between, expected: expectedText.replace(/\.$/, '') };
}
