/** Converts a row (a testcase element) to a test, by the rules that all JUnit dialects share. */

import { extname } from 'node:path';
import { copyText } from '#shared/engine/own-copy.ts';
import type { Annotation, AttemptError } from '#shared/model/tests/attempt.ts';
import { keptAnnotations } from '#shared/reports/annotations.ts';
import { errorOf } from '#shared/reports/error-texts.ts';
import { ENDINGS, type FoundAttempt, type FoundFile, type FoundTest } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { plainTitle, stableTitle } from '#shared/reports/paths.ts';
import { secondsIn, timeIn } from '#shared/reports/times.ts';
import type { DialectContext, JunitEnding, JunitPlace } from './dialect.ts';
import {
  failuresOf,
  flakesOf,
  hasFailed,
  type JunitProblem,
  type JunitRow,
  junitAttribute,
  rerunsOf,
  skipOf,
} from './row.ts';

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

const PENDING = new Set(['skipped', 'skip', 'notrun', 'disabled', 'pending', 'ignored']);

/** Returns how a test ended, by the rules that apply to the files of all tools. */
export function plainEnding(row: JunitRow): JunitEnding {
  if (hasFailed(row)) return 'failed';
  if (skipOf(row)) return 'pending';
  if (flakesOf(row).length > 0) return 'passed';
  return PENDING.has(junitAttribute(row, 'status').toLowerCase()) ? 'pending' : 'passed';
}

/** Converts a row to a test. Returns `undefined` if the file ended before the result of the row. */
export function foundTest(row: JunitRow, context: DialectContext, place: JunitPlace): FoundTest | undefined {
  if (row.cut && row.problems.length === 0) return undefined;
  const ending = place.ending ?? plainEnding(row);
  const { outcome, expectedStatus } = ENDINGS[ending];
  const reason = ending === 'pending' && skipOf(row)?.message;
  return {
    group: place.group ?? null,
    spec: place.spec,
    title: shownTitle(place),
    expectedStatus,
    outcome,
    flaky: false,
    attempts: attemptsOf(row, context, { ending, spec: place.spec }),
    annotations: annotationsOf(row, expectedStatus),
    tags: [],
    reason: reason ? copyText(reason.slice(0, REPORT_LIMITS.messageCharacters)) : undefined,
  };
}

export const shownTitle = ({ title, keepsTitle }: Pick<JunitPlace, 'title' | 'keepsTitle'>): string[] =>
  title.map((part) => (keepsTitle ? plainTitle(part) : stableTitle(plainTitle(part))));

/** Properties with these names are annotations, no matter which framework wrote them. */
const TOOL_WORDS: ReadonlySet<string> = new Set(['skip', 'fixme', 'fail', 'issue', 'owner']);

/** The properties of a row as annotations. */
export const propertiesOf = ({ properties }: JunitRow): Annotation[] =>
  properties.map(([type, value]) => ({ type, description: value || null }));

function annotationsOf(row: JunitRow, expectedStatus: string): Annotation[] {
  const said = propertiesOf(row).filter(({ type }) => TOOL_WORDS.has(type));
  const needsFail = expectedStatus === 'failed' && !said.some(({ type }) => type === 'fail');
  return keptAnnotations(needsFail ? [...said, { type: 'fail', description: skipOf(row)?.message ?? null }] : said);
}

/**
 * When a test began that has no time stamp of its own: after the tests before it in its suite. Most writers give a time
 * stamp to suites only, and their tests ran one after the other.
 */
function startInSuite({ suite, attributes }: JunitRow, { zone, now }: DialectContext): number | null {
  if (!suite) return null;
  const start = timeIn(suite.attributes.get('timestamp'), zone, now);
  if (start === null) return null;
  const startedAt = start + suite.read.milliseconds;
  suite.read.milliseconds += secondsIn(attributes.get('time'));
  return startedAt;
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
  const { zone, now, fileAt } = context;
  const { outcome, state, raw } = ENDINGS[ending];
  const flakes = flakesOf(row);
  const failures = failuresOf(row);
  // A failed row without a `failure` or `error` element may have its error in a `skipped` element.
  const skips = failures.length === 0 && raw === 'failed' ? [skipOf(row)] : [];
  const own: FoundAttempt = {
    state,
    rawStatus: raw,
    startedAt: timeIn(row.attributes.get('timestamp'), zone, now) ?? startInSuite(row, context),
    duration: secondsIn(row.attributes.get('time')),
    errors: [...failures, ...skips].flatMap((problem) => (problem ? errorIn(problem, spec) : [])),
    // Only the output of a test that failed or was flaky is kept.
    evidence: outcome === 'failed' || flakes.length > 0 ? outputOf(row, row.out.replaceAll(LINE, '')) : undefined,
    files: attachmentsIn(row.out, fileAt),
  };
  const failed = (problem: JunitProblem): FoundAttempt => ({
    state: 'failed',
    rawStatus: 'failed',
    startedAt: timeIn(problem.timestamp, zone, now),
    duration: secondsIn(problem.time),
    errors: [errorIn(problem, spec)],
    evidence: outputOf(problem),
  });
  return [...flakes.map(failed), own, ...rerunsOf(row).map(failed)];
}

export const errorIn = (problem: JunitProblem, spec: string): AttemptError =>
  errorOf({
    message: problem.message ?? '',
    type: problem.type,
    stack: problem.stackTrace === '' ? problem.text : problem.stackTrace,
    spec,
  });

const outputOf = ({ out, err }: Pick<JunitRow, 'out' | 'err'>, stdout = out): FoundAttempt['evidence'] => ({
  steps: [],
  stdout: texts(stdout),
  stderr: texts(err),
});

const texts = (text: string): string[] => (text.trim() === '' ? [] : [text]);

/** Marks a test as skipped, because these errors in a hook or another test kept it from running. */
export const stoppedTest = (test: FoundTest, errors: readonly AttemptError[]): FoundTest => ({
  ...test,
  outcome: 'skipped',
  expectedStatus: 'passed',
  attempts: test.attempts.map((attempt) => ({ ...attempt, state: 'skipped', errors })),
});
