/**
 * Classifies the error of a failed test, and normalizes its message so that equal errors of many tests are counted
 * together.
 */
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { ASSERTIONS } from './assertions.ts';
import { findLabelledText } from './call-log.ts';
import { recognizeCypress } from './cypress.ts';
import { recognizeExpectation, recognizePythonExpectation } from './expectations.ts';
import { ERROR_LIMITS } from './limits.ts';
import {
  type ErrorCategory,
  type ErrorReader,
  type Finding,
  type ParsedError,
  parseError,
  type ReportedError,
} from './parsed-error.ts';
import { recognizeApiCall } from './playwright-calls.ts';
import { recognizeTimeout } from './timeouts.ts';
import { normalizeHeadline, normalizeTarget, PLACEHOLDER } from './variable-parts.ts';

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
