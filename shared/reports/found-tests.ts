/** Builds tests and attempts from what a report says about them, for formats that have one entry per attempt. */

import { removeControlSequences } from '#shared/engine/plain-text.ts';
import type { Annotation, AttemptError } from '#shared/model/results/attempt.ts';
import type { EvidenceStep } from '#shared/model/results/evidence.ts';
import { limitAnnotations } from './annotations.ts';
import { buildAttemptError } from './error-texts.ts';
import { ENDINGS, type Ending, type FoundAttempt, type FoundFile, type FoundTest, pickLastTest } from './found.ts';
import { limitOutput } from './kept-text.ts';
import { REPORT_LIMITS } from './limits.ts';
import { normalizeTags } from './tags.ts';

export interface ErrorTexts {
  readonly message: string;
  readonly stack?: string;
  readonly type?: string;
}

export interface AttemptParts {
  readonly ending: Ending;
  /** In epoch milliseconds. */
  readonly startedAt?: number | null;
  /** In milliseconds, rounded. */
  readonly duration?: number;
  readonly errors?: readonly ErrorTexts[];
  readonly steps?: readonly EvidenceStep[];
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
  readonly files?: readonly FoundFile[];
}

interface TestParts extends AttemptParts {
  readonly group?: string | null;
  readonly spec: string;
  readonly title: readonly string[];
  readonly tags?: readonly string[];
  readonly annotations?: readonly Annotation[];
  /** A word of the tool for how the test ended that says more than the outcome. */
  readonly raw?: string;
  readonly reason?: string;
  /** The attempts before the last one. */
  readonly earlier?: readonly FoundAttempt[];
}

const NO_STACK = '';

/** The beginning of a stack below the message of an error. */
const FRAME = /\n[ \t]{0,20}at /;

/** For tools that write message and stack as one text. */
export function splitStack(stack: string): ErrorTexts {
  const end = FRAME.exec(stack)?.index;
  return { message: end === undefined ? stack : stack.slice(0, end), stack };
}

export const buildError = ({ message, stack = NO_STACK, type = '' }: ErrorTexts, spec: string): AttemptError =>
  buildAttemptError({ message: removeControlSequences(message).trimEnd(), stack, type, spec });

export function buildAttempt(parts: AttemptParts, spec: string): FoundAttempt {
  const {
    ending,
    startedAt = null,
    duration = 0,
    errors = [],
    steps = [],
    stdout = [],
    stderr = [],
    files = [],
  } = parts;
  const hasFailed = ending.state === 'failed' && ending.expectedStatus === 'passed';
  const errorTexts = hasFailed && errors.length === 0 ? [{ message: '' }] : errors;
  return {
    state: ending.state,
    rawStatus: ending.raw,
    startedAt,
    duration,
    errors: ending.state === 'failed' ? errorTexts.map((error) => buildError(error, spec)) : [],
    evidence: { steps, stdout: limitOutput(keepText(stdout)), stderr: limitOutput(keepText(stderr)) },
    files,
  };
}

const keepText = (texts: readonly string[]): string[] => texts.filter((text) => text.trim() !== '');

export function buildTest(parts: TestParts): FoundTest {
  const { ending, group = null, spec, title, tags = [], annotations = [], raw, reason, earlier = [] } = parts;
  const { outcome, expectedStatus } = ending;
  const word = raw === undefined ? [] : [{ type: 'status', description: raw }];
  return {
    group,
    spec,
    title,
    outcome,
    expectedStatus,
    flaky: false,
    attempts: [...earlier, buildAttempt(parts, spec)],
    annotations: limitAnnotations([...annotations, ...word]),
    tags: normalizeTags(tags),
    reason: ending.outcome === 'pending' && reason ? reason : undefined,
  };
}

export const PASSED: Ending = ENDINGS.passed;
export const FAILED: Ending = ENDINGS.failed;
export const PENDING: Ending = ENDINGS.pending;
export const SKIPPED: Ending = ENDINGS.skipped;
export const EXPECTED_FAILURE: Ending = ENDINGS['expected failure'];

/** Each row of a test is one or more attempts of it, and the last row decides. */
export const joinRows = (rows: readonly FoundTest[]): FoundTest => ({
  ...pickLastTest(rows),
  attempts: rows.flatMap(({ attempts }) => attempts),
});

/** Adds a repetition to those of its test. After the limit, only a failure counts, because none of them may fail. */
export function addRepetition(rows: FoundTest[], row: FoundTest): void {
  if (rows.length < REPORT_LIMITS.attemptsPerTest) rows.push(row);
  else if (row.outcome === 'failed') rows[rows.length - 1] = row;
}

/** For repetitions in one run, of which none may fail. One that passes does not make the test flaky. */
export function failIfOneFailed(rows: readonly FoundTest[]): FoundTest {
  const failures = rows.filter(({ outcome }) => outcome === 'failed');
  return joinRows(failures.length > 0 ? failures : rows);
}
