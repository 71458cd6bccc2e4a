/** The traits of a failure: what its error says about the cause (`errors/cause-traits.ts`). */
import { compareTexts } from '../contains.ts';
import type { MarkedTest } from './marked-tests.ts';

export interface Traits {
  /** The matcher or action if the error names its target, otherwise the message without variable parts. */
  readonly what: string;
  readonly target: string;
  readonly received: string;
  readonly expected: string;
  readonly place: string;
  /** A short message as it is, if it has variable parts and no values. Rows of earlier versions do not have it. */
  readonly line: string;
}

export interface TestWithTraits {
  readonly test: MarkedTest;
  readonly traits: Traits;
}

export function parseTraits(texts: readonly string[]): Traits {
  const [what = '', target = '', ...values] = texts;
  const [received = '', expected = '', place = '', line = ''] = values;
  return { what, target, received, expected, place, line };
}

const SHORT_VALUE = 3;
const COMMON_VALUES: ReadonlySet<string> = new Set([
  ...['true', 'false', 'True', 'False', 'null', 'undefined', 'None', 'nil', 'NaN', 'Object', 'Array', 'object'],
  ...['Promise', 'Promise{…}', '<nil>', 'null pointer', 'hidden', 'visible', '<element(s) not found>'],
]);
/** Tests print what they received with and without quotes, and with the line break at its end. */
const QUOTES = /^["'`]|["'`]$/g;
const LINE_END = /\\n(?=["'`]?$)/;

/** Without quotes. Empty if tests that received this value need not have anything in common. */
export function getTellingValue(value: string): string {
  const text = value.replace(LINE_END, '').replaceAll(QUOTES, '');
  const isTelling = text.length >= SHORT_VALUE && !COMMON_VALUES.has(text) && /[\p{L}\p{N}]/u.test(text);
  return isTelling ? text : '';
}

/** Received values that are not empty, with the number of their tests, the most frequent first. */
export const countValues = (values: readonly string[]): { readonly value: string; readonly tests: number }[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([value]) => value !== '')
    .map(([value, equalValues]) => ({ value, tests: equalValues.length }))
    .sort((one, other) => other.tests - one.tests || compareTexts(one.value, other.value));
