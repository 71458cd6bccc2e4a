/**
 * Recognizes failed assertions with `expect` of Playwright, Jest and Vitest, and with `expect` of Playwright for
 * Python.
 */
import { findAddress, findLabelledText, findLocator } from './call-log.ts';
import { ERROR_LIMITS } from './limits.ts';
import type { ErrorReader } from './parsed-error.ts';

const CALL = /\bexpect(?:\.soft|\.poll)?\(((?:[^()\n]|\(\)){0,200})\)\.(?:resolves\.|rejects\.)?(not\.)?(\w{1,100})\(/;
/** A line with the matcher call. It follows the first line if the test gave the assertion a custom message. */
const CALL_LINE = /^(?:Timed out \d{1,12}ms waiting for )?expect(?:\.soft|\.poll)?\(/;
const RETRIED_RECEIVER = /^(?:locator|page|apiResponse|response)$/i;
const RETRIED_HEADLINE = /^Timed out \d{1,12}ms waiting for /;
const RETRIED_LINE = /^(?:Timeout: {1,8}\d|Call [Ll]og:|- Timeout \d{1,12}ms exceeded while waiting on the predicate)/;

/** `expect.assertions()` and `expect.hasAssertions()` of Jest and Vitest. */
const COUNTED = /^expect\.(assertions|hasAssertions)\(/;

export const recognizeExpectation: ErrorReader = ({ headline, lines }) => {
  const method = COUNTED.exec(headline)?.[1];
  if (method !== undefined) return { category: 'Assertion', action: method, target: null };
  const nextLines = lines.slice(1, ERROR_LIMITS.matcherLines);
  const callLines = [headline, ...nextLines.filter((line) => CALL_LINE.test(line))];
  const callLine = callLines.find((line) => CALL.test(line)) ?? '';
  const [, receiver = '', not = '', matcher] = CALL.exec(callLine) ?? [];
  if (matcher === undefined) return undefined;
  const isRetried =
    RETRIED_RECEIVER.test(receiver) || RETRIED_HEADLINE.test(callLine) || lines.some((line) => RETRIED_LINE.test(line));
  const action = `${not}${matcher}`;
  if (!isRetried) return { category: 'Assertion', action, target: null };
  return { category: 'Async Assertion', action, target: findTarget(lines, matcher) };
};

const ADDRESS = /^Expected(?: string| pattern| substring)?: {1,8}(?:not )?(\S.{0,2048})$/;

function findTarget(lines: readonly string[], matcher: string): string | null {
  const target = findLocator(lines) ?? findLabelledText(lines, 'Snapshot:');
  if (target !== null) return target;
  if (!/^toHaveUrl$/i.test(matcher)) return findAddress(lines);
  const address = lines.map((line) => ADDRESS.exec(line)?.[1]).find((one) => one !== undefined);
  return address?.replace(/^"(.{0,2048})"$/, '$1').replace(/^'(.{0,2048})'$/, '$1') ?? null;
}

const PYTHON = /^(?:Locator|Page|Page title|Page URL|Response) expected (?:not )?to /;
const PYTHON_CALL = /(?:Expect "|(?:Locator|Page)Assertions\.)(not[_ ])?(to_\w{1,64})/;
/** Matchers whose JavaScript name is not exactly their Python name in camel case. */
const SPELLED: ReadonlyMap<string, string> = new Map([
  ['toHaveUrl', 'toHaveURL'],
  ['toBeOk', 'toBeOK'],
]);

export const recognizePythonExpectation: ErrorReader = ({ headline, lines }) => {
  if (!PYTHON.test(headline)) return undefined;
  const call = lines.map((line) => PYTHON_CALL.exec(line)).find((match) => match !== null);
  const matcher = toCamelCase(call?.[2] ?? '');
  const name = SPELLED.get(matcher) ?? matcher;
  const not = call?.[1] || / expected not to /.test(headline) ? 'not.' : '';
  const address = /^toHaveU/.test(name) ? /'([^']{1,2048})'/.exec(headline)?.[1] : undefined;
  const target = findLocator(lines) ?? findAddress(lines) ?? address ?? null;
  return { category: 'Async Assertion', action: name === '' ? null : `${not}${name}`, target };
};

export const toCamelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
