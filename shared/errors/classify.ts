/**
 * Classifies the error of a failed test, and normalizes its message so that equal errors of many tests are counted
 * together.
 */
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { ASSERTIONS, findChainer } from './assertions.ts';
import { findAddress, findLabelledText, findLocator } from './call-log.ts';
import { recognizeExpectation, recognizePythonExpectation, toCamelCase } from './expectations.ts';
import { ERROR_LIMITS } from './limits.ts';
import {
  type ErrorCategory,
  type ErrorReader,
  type Finding,
  type ParsedError,
  parseError,
  type ReportedError,
} from './parsed-error.ts';
import { normalizeHeadline, normalizeTarget, PLACEHOLDER } from './variable-parts.ts';

// Recognizes failed calls of the Playwright API, such as `locator.click: Timeout 30000ms exceeded.`

const CALL = /^([A-Za-z]{1,40})\.([$_]{0,2}[A-Za-z]\w{0,60}): /;
const OF_A_TEST: ReadonlySet<string> = new Set([
  'page',
  'locator',
  'frame',
  'frameLocator',
  'elementHandle',
  'jsHandle',
  'keyboard',
  'mouse',
  'touchscreen',
  'aPIRequestContext',
  'apiRequestContext',
  'aPIResponse',
  'apiResponse',
  'request',
  'response',
  'route',
  'dialog',
  'download',
  'fileChooser',
  'worker',
  'webSocket',
  'clock',
]);
const OF_THE_BROWSER: ReadonlySet<string> = new Set([
  'browserType',
  'browser',
  'browserContext',
  'browserServer',
  'playwright',
  'tracing',
  'video',
  'selectors',
  'electron',
  'electronApplication',
  'android',
  'androidDevice',
  'cDPSession',
  'cdpSession',
]);
const URL = /\bhttps?:\/\/[^\s'"`<>)]{1,2048}/i;
const SELECTOR = /(?:matching|css) selector "([^"]{1,2048})"/;
const EVENT = /while waiting for event "([^"]{1,200})"/;

const recognizeApiCall: ErrorReader = ({ headline, lines }) => {
  const [, name = '', method = ''] = CALL.exec(headline) ?? [];
  const receiver = name.charAt(0).toLowerCase() + name.slice(1);
  const action = toCamelCase(method);
  if (!OF_A_TEST.has(receiver) && !OF_THE_BROWSER.has(receiver)) return undefined;
  const isOfTest = OF_A_TEST.has(receiver) || action.startsWith('waitFor');
  const locatorOrUrl = findLocator(lines) ?? findAddress(lines) ?? URL.exec(headline)?.[0];
  const target = locatorOrUrl ?? (SELECTOR.exec(headline) ?? EVENT.exec(headline))?.[1] ?? null;
  return { category: isOfTest ? 'Action' : 'Infra / Misc', action, target };
};

// Recognizes timeouts of tests, hooks, fixtures and steps, but not timeouts of single actions.

const BY_RUNNER: readonly RegExp[] = [
  // Timeouts of Playwright
  /^(?:Test|Step|Worker teardown) timeout of \d{1,12}ms exceeded/,
  /^"\w{1,64}" (?:hook|modifier) timeout of \d{1,12}ms exceeded/,
  /^Fixture ".{1,200}?" timeout of \d{1,12}ms exceeded/,
  /^Tearing down ".{1,200}?" exceeded the test timeout/,
  /^Test finished within timeout of \d{1,12}ms, but tearing down/,
  // Timeouts of Jest, Mocha, Vitest, Jasmine and node:test
  /^"?Exceeded timeout of [\d.,]{1,20} ?\w{1,12} for a (?:test|hook)/,
  /^Timeout of \d{1,12}ms exceeded\. For async tests and hooks/,
  /^(?:Test|Hook) timed out in \d{1,12}ms/,
  /^Timeout - Async function did not complete within/,
  /^test timed out after \d{1,12}ms/,
  // Timeouts of pytest and JUnit
  /^Timeout \(?>\s?[\d.]{1,20} ?s/,
  /^\w{1,200}\(\) timed out after \d{1,12} \w{1,16}$/,
  /^execution (?:exceeded timeout of|timed out after) \d{1,12} ms/,
];

const HOOK = /^"(\w{1,64})" (?:hook|modifier) timeout|while running "(\w{1,64})" (?:hook|modifier)/;
const FIXTURE = /(?:^Fixture|setting up|[Tt]earing down) "([^"]{1,200})"/;

const recognizeTimeout: ErrorReader = ({ headline }) => {
  if (!BY_RUNNER.some((pattern) => pattern.test(headline))) return undefined;
  const hook = HOOK.exec(headline);
  const fixture = FIXTURE.exec(headline);
  return { category: 'Timeout', action: hook?.[1] ?? hook?.[2] ?? null, target: fixture?.[1] ?? null };
};

const RETRIED = /^Timed out retrying(?: after \d{1,12}ms)?: /;
const NOT_FOUND = /^Expected to find (?:element|content): (?:`([^`]{1,2048})`|'([^']{1,2048})')/;
const COMMAND = /`cy\.(\w{1,64})\(/;
const ROUTE = /to the route: `([^`]{1,2048})`/;
const ELEMENT = /^`(<[^`]{1,2048}>)`/;
const SUBJECT = /\bexpected '(<[^']{1,2048}>)'/;
const ADDRESS = /^\s{0,64}`?(https?:\/\/[^\s`]{1,2048})/;

const recognizeCypress: ErrorReader = (error) => {
  const { headline } = error;
  const isRetried = RETRIED.test(headline);
  const text = headline.replace(RETRIED, '');
  return (isRetried ? recognizeCypressAssertion(text) : undefined) ?? recognizeCypressCommand(text, error);
};

function recognizeCypressAssertion(text: string): Finding | undefined {
  const match = NOT_FOUND.exec(text);
  if (match) return { category: 'Async Assertion', action: 'find', target: match[1] ?? match[2] ?? null };
  const action = findChainer(text);
  if (action === null) return undefined;
  return { category: 'Async Assertion', action, target: SUBJECT.exec(text)?.[1] ?? null };
}

function recognizeCypressCommand(text: string, { lines }: ParsedError): Finding | undefined {
  const action = COMMAND.exec(text)?.[1];
  if (action === undefined) return undefined;
  const lineTarget = lines.map((line) => ELEMENT.exec(line.trim()) ?? ADDRESS.exec(line)).find((match) => match);
  return { category: 'Action', action, target: ROUTE.exec(text)?.[1] ?? lineTarget?.[1] ?? null };
}

export interface ClassifiedError extends Finding {
  /** The first line of the message, with placeholders instead of ids, numbers and other values. */
  readonly message: string;
  /** Errors with the same fingerprint are counted together. */
  readonly fingerprint: string;
}

/** The URL of a failed request in error messages of Python HTTP clients. */
const WITH_URL = /\b(?:with|for) url:? '?([^\s']{1,2048})/;

/** The rules in order of priority. */
const RULES: readonly ErrorReader[] = [
  recognizeTimeout,
  recognizeExpectation,
  recognizePythonExpectation,
  recognizeApiCall,
  recognizeCypress,
  ...ASSERTIONS,
];

function recognizeError(error: ParsedError): Finding {
  for (const rule of RULES) {
    const finding = rule(error);
    if (finding) return finding;
  }
  const target = WITH_URL.exec(error.headline)?.[1] ?? findLabelledText(error.lines, 'with url:');
  return { category: 'Infra / Misc', action: null, target };
}

const IN_QUOTES = /^(["'`])(.{0,4096})\1$/;

/** A message without words, such as that of `KeyError: 'total'`, says nothing without the class name of its error. */
function normalizeMessage({ name, headline }: ParsedError, category: ErrorCategory): string {
  const message = normalizeHeadline(headline);
  const hasWords = /\p{L}/u.test(message.replaceAll(PLACEHOLDER, ''));
  if (hasWords || category !== 'Infra / Misc') return message;
  if (name !== null && name !== 'Error')
    return takeFirstCharacters(`${name}: ${message}`, ERROR_LIMITS.messageCharacters);
  return normalizeHeadline(IN_QUOTES.exec(headline)?.[2] ?? headline);
}

export function classifyError(error: ReportedError): ClassifiedError {
  const parsedError = parseError(error);
  const { category, action, target: rawTarget } = recognizeError(parsedError);
  const target = rawTarget === null ? null : normalizeTarget(rawTarget) || null;
  const message = normalizeMessage(parsedError, category);
  return { category, action, target, message, fingerprint: computeFingerprint({ category, action, target, message }) };
}

/** Identifies an error by the parts that the read model stores. */
export const computeFingerprint = ({
  category,
  action,
  target,
  message,
}: Readonly<Record<'category' | 'action' | 'target' | 'message', string | null>>): string =>
  computeDigest(ERROR_LIMITS.fingerprintCharacters, category ?? '', action ?? '', target ?? '', message ?? '');
