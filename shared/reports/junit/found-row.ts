/** Converts a row (a testcase element) to a test, by the rules that all JUnit dialects share. */

import { copyText } from '#shared/engine/own-copy.ts';
import type { Annotation, AttemptError } from '#shared/model/results/attempt.ts';
import { limitAnnotations } from '#shared/reports/annotations.ts';
import { guessMediaType } from '#shared/reports/attached-file.ts';
import { buildAttemptError } from '#shared/reports/error-texts.ts';
import { ENDINGS, type FoundAttempt, type FoundFile, type FoundTest } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { cleanTitle, replaceUnstableParts } from '#shared/reports/paths.ts';
import { parseDuration, parseTime } from '#shared/reports/times.ts';
import type { DialectContext, JunitEnding, JunitPlace } from './dialect.ts';
import {
  findSkip,
  getJunitAttribute,
  hasFailed,
  type JunitProblem,
  type JunitRow,
  listFailures,
  listFlakes,
  listReruns,
} from './row.ts';

/** Lines such as `[[ATTACHMENT|path]]`, with which writers name files in the output of a test. */
const LINE = /^[ \t]*\[\[ATTACHMENT\|(.*?)\]\][ \t]*\r?$/gm;

/** The files that the output names and that the archive of the report contains. */
function findAttachments(output: string, fileAt: ParserInput['fileAt']): FoundFile[] {
  if (!output.includes('[[ATTACHMENT|')) return [];
  const paths = [...output.matchAll(LINE)].map(([, path = '']) => path);
  // Returns one more file than a report may have, so that the excess causes a warning.
  return paths.slice(0, REPORT_LIMITS.filesPerReport + 1).flatMap((path) => {
    const name = path.split(/[\\/]/).at(-1) ?? path;
    return fileAt({ name, contentType: guessMediaType(name), path }) ?? [];
  });
}

const PENDING = new Set(['skipped', 'skip', 'notrun', 'disabled', 'pending', 'ignored']);

export function derivePlainEnding(row: JunitRow): JunitEnding {
  if (hasFailed(row)) return 'failed';
  if (findSkip(row)) return 'pending';
  if (listFlakes(row).length > 0) return 'passed';
  return PENDING.has(getJunitAttribute(row, 'status').toLowerCase()) ? 'pending' : 'passed';
}

/** `undefined` if the file ended before the result of the row. */
export function toFoundJunitTest(row: JunitRow, context: DialectContext, place: JunitPlace): FoundTest | undefined {
  if (row.cut && row.problems.length === 0) return undefined;
  const ending = place.ending ?? derivePlainEnding(row);
  const { outcome, expectedStatus } = ENDINGS[ending];
  const reason = ending === 'pending' && findSkip(row)?.message;
  return {
    group: place.group ?? null,
    spec: place.spec,
    title: normalizeJunitTitle(place),
    expectedStatus,
    outcome,
    flaky: false,
    attempts: listAttempts(row, context, { ending, spec: place.spec }),
    annotations: listAnnotations(row, expectedStatus),
    tags: [],
    // The tries of a test stand in one suite. A file that was joined from several has a suite for each.
    source: row.suite?.number ?? -1,
    reason: reason ? copyText(reason.slice(0, REPORT_LIMITS.messageCharacters)) : undefined,
  };
}

export const normalizeJunitTitle = ({ title, keepsTitle }: Pick<JunitPlace, 'title' | 'keepsTitle'>): string[] =>
  title.map((part) => (keepsTitle ? cleanTitle(part) : replaceUnstableParts(cleanTitle(part))));

/** Properties with these names are annotations, no matter which framework wrote them. */
const TOOL_WORDS: ReadonlySet<string> = new Set(['skip', 'fixme', 'fail', 'issue', 'owner']);

export const listPropertyAnnotations = ({ properties }: JunitRow): Annotation[] =>
  properties.map(([type, value]) => ({ type, description: value || null }));

function listAnnotations(row: JunitRow, expectedStatus: string): Annotation[] {
  const annotations = listPropertyAnnotations(row).filter(({ type }) => TOOL_WORDS.has(type));
  const needsFail = expectedStatus === 'failed' && !annotations.some(({ type }) => type === 'fail');
  return limitAnnotations(
    needsFail ? [...annotations, { type: 'fail', description: findSkip(row)?.message ?? null }] : annotations,
  );
}

/** Most writers give a time stamp to suites only, and their tests ran one after the other. */
function estimateStart({ suite, attributes }: JunitRow, { zone, now }: DialectContext): number | null {
  if (!suite) return null;
  const start = parseTime(suite.attributes.get('timestamp'), zone, now);
  if (start === null) return null;
  const startedAt = start + suite.read.milliseconds;
  suite.read.milliseconds += parseDuration(attributes.get('time'));
  return startedAt;
}

/**
 * A flaky test has one attempt per `flakyFailure` before the pass, and a failed one has one per `rerunFailure` after
 * its first. Several `failure` or `error` elements of a testcase element are errors of one attempt.
 */
function listAttempts(
  row: JunitRow,
  context: DialectContext,
  { ending, spec }: { ending: JunitEnding; spec: string },
): FoundAttempt[] {
  const { zone, now, fileAt } = context;
  const { outcome, state, raw } = ENDINGS[ending];
  const flakes = listFlakes(row);
  const failures = listFailures(row);
  // A failed row without a `failure` or `error` element may have its error in a `skipped` element.
  const skips = failures.length === 0 && raw === 'failed' ? [findSkip(row)] : [];
  const mainAttempt: FoundAttempt = {
    state,
    rawStatus: raw,
    startedAt: parseTime(row.attributes.get('timestamp'), zone, now) ?? estimateStart(row, context),
    duration: parseDuration(row.attributes.get('time')),
    errors: [...failures, ...skips].flatMap((problem) => (problem ? toAttemptError(problem, spec) : [])),
    // Only the output of a test that failed or was flaky is kept.
    evidence: outcome === 'failed' || flakes.length > 0 ? toEvidence(row, row.out.replaceAll(LINE, '')) : undefined,
    files: findAttachments(row.out, fileAt),
  };
  const toFailedAttempt = (problem: JunitProblem): FoundAttempt => ({
    state: 'failed',
    rawStatus: 'failed',
    startedAt: parseTime(problem.timestamp, zone, now),
    duration: parseDuration(problem.time),
    errors: [toAttemptError(problem, spec)],
    evidence: toEvidence(problem),
  });
  return [...flakes.map(toFailedAttempt), mainAttempt, ...listReruns(row).map(toFailedAttempt)];
}

export const toAttemptError = (problem: JunitProblem, spec: string): AttemptError =>
  buildAttemptError({
    message: problem.message ?? '',
    type: problem.type,
    stack: problem.stackTrace === '' ? problem.text : problem.stackTrace,
    spec,
  });

const toEvidence = ({ out, err }: Pick<JunitRow, 'out' | 'err'>, stdout = out): FoundAttempt['evidence'] => ({
  steps: [],
  stdout: toTexts(stdout),
  stderr: toTexts(err),
});

const toTexts = (text: string): string[] => (text.trim() === '' ? [] : [text]);

/** The errors, in a hook or another test, kept the test from running. */
export const markAsSkipped = (test: FoundTest, errors: readonly AttemptError[]): FoundTest => ({
  ...test,
  outcome: 'skipped',
  expectedStatus: 'passed',
  attempts: test.attempts.map((attempt) => ({ ...attempt, state: 'skipped', errors })),
});
