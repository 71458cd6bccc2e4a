/** Converts a row (a testcase element) to a test, by the rules that all JUnit dialects share. */

import { extname } from 'node:path';
import type { Annotation, AttemptError } from '#shared/model/tests/attempt.ts';
import type { RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';
import { keptAnnotations } from '#shared/reports/annotations.ts';
import { errorOf } from '#shared/reports/error-texts.ts';
import type { FoundAttempt, FoundFile, FoundTest } from '#shared/reports/found.ts';
import { ownCopy } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { plainTitle, stableTitle } from '#shared/reports/paths.ts';
import { secondsIn, timeIn } from '#shared/reports/times.ts';
import type { DialectContext } from './dialect.ts';
import { failuresOf, flakesOf, type JunitProblem, type JunitRow, junitAttribute, rerunsOf, skipOf } from './row.ts';

/** Lines such as `[[ATTACHMENT|path]]`, with which writers name files in the output of a test. */
const LINE = /^[ \t]*\[\[ATTACHMENT\|(.*?)\]\][ \t]*\r?$/gm;

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.webm', 'video/webm'],
  ['.mp4', 'video/mp4'],
  ['.zip', 'application/zip'],
  ['.md', 'text/markdown'],
  ['.txt', 'text/plain'],
  ['.log', 'text/plain'],
  ['.html', 'text/html'],
  ['.json', 'application/json'],
]);

const withoutAttachments = (output: string): string => output.replaceAll(LINE, '');

/** The files that the output names and that the archive of the report contains. */
function attachmentsIn(output: string, fileAt: ParserInput['fileAt']): FoundFile[] {
  if (!output.includes('[[ATTACHMENT|')) return [];
  const paths = [...output.matchAll(LINE)].map(([, path = '']) => path);
  // Returns one more file than a report may have, so that the excess causes a warning.
  return paths.slice(0, REPORT_LIMITS.filesPerReport + 1).flatMap((path) => {
    const name = path.split(/[\\/]/).at(-1) ?? path;
    const contentType = MEDIA_TYPES.get(extname(name).toLowerCase()) ?? '';
    return fileAt({ name, contentType, path }) ?? [];
  });
}

/** How a test ended. A test that is expected to fail counts as passed if it fails, and as failed if it passes. */
export type JunitEnding = 'passed' | 'failed' | 'pending' | 'skipped' | 'expected failure' | 'unexpected pass';

interface Meaning {
  readonly outcome: RecordedTestOutcome;
  readonly expectedStatus: string;
  /** The outcome and the raw status of the attempt that the testcase element itself describes. */
  readonly state: RecordedTestOutcome;
  readonly raw: string;
}

const MEANING: Readonly<Record<JunitEnding, Meaning>> = {
  passed: { outcome: 'passed', expectedStatus: 'passed', state: 'passed', raw: 'passed' },
  failed: { outcome: 'failed', expectedStatus: 'passed', state: 'failed', raw: 'failed' },
  pending: { outcome: 'pending', expectedStatus: 'skipped', state: 'pending', raw: 'skipped' },
  skipped: { outcome: 'skipped', expectedStatus: 'passed', state: 'skipped', raw: 'skipped' },
  'expected failure': { outcome: 'passed', expectedStatus: 'failed', state: 'failed', raw: 'failed' },
  'unexpected pass': { outcome: 'failed', expectedStatus: 'failed', state: 'passed', raw: 'passed' },
};

const STATUS_ENDINGS: ReadonlyMap<string, JunitEnding> = new Map([
  ...['fail', 'failed', 'failure', 'error', 'errored', 'broken'].map((status) => [status, 'failed'] as const),
  ...['skipped', 'skip', 'notrun', 'disabled', 'pending', 'ignored'].map((status) => [status, 'pending'] as const),
]);

/** Returns how a test ended, by the rules that apply to the files of all tools. */
export function plainEnding(row: JunitRow): JunitEnding {
  if (failuresOf(row).length > 0 || rerunsOf(row).length > 0) return 'failed';
  if (skipOf(row)) return 'pending';
  if (flakesOf(row).length > 0) return 'passed';
  return STATUS_ENDINGS.get(junitAttribute(row, 'status').toLowerCase()) ?? 'passed';
}

export interface JunitPlace {
  readonly group?: string | null;
  readonly spec: string;
  readonly title: readonly string[];
  readonly ending?: JunitEnding;
  /** Whether the title is kept as it is, except for control characters. */
  readonly keepsTitle?: boolean;
}

/** Converts a row to a test. Returns `undefined` if the file ended before the result of the row. */
export function foundTest(row: JunitRow, context: DialectContext, place: JunitPlace): FoundTest | undefined {
  if (row.cut && row.problems.length === 0) return undefined;
  const ending = place.ending ?? plainEnding(row);
  const { outcome, expectedStatus } = MEANING[ending];
  const title = place.title.map((part) => (place.keepsTitle ? plainTitle(part) : stableTitle(plainTitle(part))));
  return {
    group: place.group ?? null,
    spec: place.spec,
    title,
    expectedStatus,
    outcome,
    flaky: false,
    attempts: attemptsOf(row, context, { ending, spec: place.spec }),
    annotations: annotationsOf(row, expectedStatus),
    tags: [],
    reason: ending === 'pending' ? reasonOf(row) : undefined,
  };
}

const reasonOf = (row: JunitRow): string | undefined => {
  const reason = skipOf(row)?.message;
  return reason ? ownCopy(reason.slice(0, REPORT_LIMITS.messageCharacters)) : undefined;
};

/** Properties with these names are annotations, no matter which framework wrote them. */
const TOOL_WORDS: ReadonlySet<string> = new Set(['skip', 'fixme', 'fail', 'issue', 'owner']);

function annotationsOf(row: JunitRow, expectedStatus: string): Annotation[] {
  const said = row.properties
    .filter(([name]) => TOOL_WORDS.has(name))
    .map(([type, value]) => ({ type, description: value === '' ? null : value }));
  const needsFail = expectedStatus === 'failed' && !said.some(({ type }) => type === 'fail');
  return keptAnnotations(needsFail ? [...said, { type: 'fail', description: skipOf(row)?.message ?? null }] : said);
}

/**
 * A flaky test has one attempt per `flakyFailure` before the pass. A failed test has one attempt per `rerunFailure`
 * after its first attempt. If a testcase element has several `failure` or `error` elements, these are several errors of
 * one attempt.
 */
function attemptsOf(
  row: JunitRow,
  context: DialectContext,
  { ending, spec }: { ending: JunitEnding; spec: string },
): FoundAttempt[] {
  const startedAt = startOf(row, context);
  const { state, raw } = MEANING[ending];
  const errors = failuresOf(row).map((problem) => errorIn(problem, spec));
  const own: FoundAttempt = {
    state,
    rawStatus: raw,
    startedAt,
    duration: secondsIn(row.attributes.get('time')),
    errors: errors.length === 0 && raw === 'failed' ? errorsWithoutProblem(row, spec) : errors,
    evidence: evidenceOf(row, ending),
    files: attachmentsIn(row.out, context.fileAt),
  };
  const failed = (problem: JunitProblem) => failedAttempt(problem, { context, spec });
  return [...flakesOf(row).map(failed), own, ...rerunsOf(row).map(failed)];
}

const startOf = ({ attributes, suite }: JunitRow, { zone, now }: DialectContext): number | null =>
  timeIn(attributes.get('timestamp'), zone, now) ?? timeIn(suite?.attributes.get('timestamp'), zone, now);

const failedAttempt = (
  problem: JunitProblem,
  { context, spec }: { context: DialectContext; spec: string },
): FoundAttempt => ({
  state: 'failed',
  rawStatus: 'failed',
  startedAt: timeIn(problem.timestamp, context.zone, context.now),
  duration: secondsIn(problem.time),
  errors: [errorIn(problem, spec)],
  evidence: { steps: [], stdout: texts(problem.out), stderr: texts(problem.err) },
});

export const errorIn = (problem: JunitProblem, spec: string): AttemptError =>
  errorOf({
    message: problem.message ?? '',
    type: problem.type,
    stack: problem.stackTrace === '' ? problem.text : problem.stackTrace,
    spec,
  });

/**
 * The errors of a failed row that has no `failure` or `error` element: the content of its `skipped` element, if it has
 * one.
 */
const errorsWithoutProblem = (row: JunitRow, spec: string): AttemptError[] =>
  [skipOf(row)].flatMap((skip) => (skip ? errorIn(skip, spec) : []));

/** The output of a test that failed or was flaky. Other output is not kept. */
function evidenceOf(row: JunitRow, ending: JunitEnding): FoundAttempt['evidence'] {
  if (MEANING[ending].outcome !== 'failed' && flakesOf(row).length === 0) return undefined;
  return { steps: [], stdout: texts(withoutAttachments(row.out)), stderr: texts(row.err) };
}

const texts = (text: string): string[] => (text.trim() === '' ? [] : [text]);
