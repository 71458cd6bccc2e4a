/**
 * Classifies the error of a failed test, and normalizes its message so that equal errors of many tests are counted
 * together.
 */
import { beginningOf } from '#shared/engine/plain-text.ts';
import { digest } from '#shared/engine/table/keys.ts';
import { apiCall } from './api-calls.ts';
import { assertion } from './assertions.ts';
import { labelled } from './call-log.ts';
import { cypress } from './cypress.ts';
import { expectation, pythonExpectation } from './expectations.ts';
import { ERROR_LIMITS } from './limits.ts';
import {
  type ErrorCategory,
  type ErrorReader,
  type Finding,
  type ParsedError,
  parseError,
  type ReportedError,
} from './parsed-error.ts';
import { timeOut } from './time-outs.ts';
import { normalizedHeadline, normalizedTarget } from './variable-parts.ts';

export interface ClassifiedError extends Finding {
  /** The first line, without ids, numbers and values. */
  readonly message: string;
  /** Equal for errors that are counted together. */
  readonly fingerprint: string;
}

/** The address of a failed request, as Python HTTP clients report it. */
const WITH_URL = /\b(?:with|for) url:? '?([^\s']{1,2048})/;

/** Recognizes every error, so it must be the last rule. */
const anyError = ({ headline, lines }: Parameters<ErrorReader>[0]): Finding => ({
  category: 'Infra / Misc',
  action: null,
  target: WITH_URL.exec(headline)?.[1] ?? labelled(lines, 'with url:'),
});

/** The first rule that recognizes the error decides. */
const RULES: readonly ErrorReader[] = [timeOut, expectation, pythonExpectation, apiCall, cypress, assertion, anyError];

const PLACEHOLDER = /<(?:id|url|text|path|n)>/g;
const IN_QUOTES = /^(["'`])(.{0,4096})\1$/;

/** A message without any words, such as that of `KeyError: 'total'`, means nothing without the name of its error. */
function messageOf({ name, headline }: ParsedError, category: ErrorCategory): string {
  const message = normalizedHeadline(headline);
  const hasWords = /\p{L}/u.test(message.replaceAll(PLACEHOLDER, ''));
  if (hasWords || category !== 'Infra / Misc') return message;
  if (name !== null && name !== 'Error') return beginningOf(`${name}: ${message}`, ERROR_LIMITS.messageCharacters);
  return normalizedHeadline(IN_QUOTES.exec(headline)?.[2] ?? headline);
}

export function classifyError(error: ReportedError): ClassifiedError {
  const parsed = parseError(error);
  let finding: Finding | undefined;
  for (const rule of RULES) {
    finding = rule(parsed);
    if (finding) break;
  }
  const { category, action, target: named } = finding ?? anyError(parsed);
  const target = named === null ? null : normalizedTarget(named) || null;
  const message = messageOf(parsed, category);
  const parts = [category, action ?? '', target ?? '', message];
  return { category, action, target, message, fingerprint: digest(ERROR_LIMITS.fingerprintCharacters, ...parts) };
}
