/** What a job of GitHub Actions shows about a recording: annotations, and its summary. */
import { isAbsolute, relative } from 'node:path';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { NAMED_FAILURES } from './new-failures.ts';
import type { FailedTest, NewFailures, RecordingResult } from './recording-result.ts';
import {
  ERROR_CHARACTERS,
  formatFirstLine,
  formatOutcomeCount,
  formatRecordedCount,
  formatTestName,
  OUTCOMES,
} from './result-texts.ts';

const ANNOTATIONS = 10;

function listNewFirst({ failed, newFailures }: RecordingResult): readonly FailedTest[] {
  const newTests = newFailures?.tests ?? [];
  return [...newTests, ...failed.filter((test) => !newTests.includes(test))];
}

/** GitHub shows at most ten annotations of a step, so new failures come first. */
export function formatAnnotations(result: RecordingResult, workspace: string): string[] {
  return listNewFirst(result)
    .slice(0, ANNOTATIONS)
    .map((test) => {
      const { file = '', line } = test.location ?? {};
      const path = isAbsolute(file) ? relative(workspace, file) : file;
      const place = test.location ? `file=${escapeProperty(path)},line=${line},` : '';
      return `::error ${place}title=${escapeProperty(formatTestName(test))}::${escapeAnnotation(formatFirstLine(test, ERROR_CHARACTERS))}`;
    });
}

const escapeAnnotation = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string => escapeAnnotation(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Texts of tests are shown as code, so that they are not interpreted as Markdown. */
const formatCode = (text: string): string => `\`${makeVisibleLine(text).replaceAll('`', "'")}\``;

export function formatJobSummary(result: RecordingResult): string {
  const { runUrl, counts, failed, newFailures, runProblems, problems } = result;
  const outcomes = OUTCOMES.map(([outcome, name]) => formatOutcomeCount(counts[outcome], name, newFailures));
  const lines = ['### Test results', '', `${formatRecordedCount(result)}: ${outcomes.join(', ')}`, ''];
  if (runProblems.length > 0) lines.push(...runProblems.slice(0, NAMED_FAILURES).map(formatRunProblem), '');
  const listedTests = listNewFirst(result).slice(0, NAMED_FAILURES);
  lines.push(...listedTests.map((test) => formatFailedTest(test, newFailures)));
  const more = failed.length - listedTests.length;
  if (more > 0) lines.push(`- and ${more} more on the page of the run`);
  if (listedTests.length > 0) lines.push('');
  for (const problem of problems) lines.push(`- ${formatCode(problem)}`, '');
  if (runUrl) lines.push(`[The run in Rundown](${runUrl})`, '');
  return [...lines, ''].join('\n');
}

function formatRunProblem({ message, failsRun }: RecordingResult['runProblems'][number]): string {
  const text = formatCode(formatErrorLine({ message, stack: null }, ERROR_CHARACTERS));
  return failsRun ? `- **run failed** ${text}` : `- ${text}`;
}

function formatFailedTest(test: FailedTest, newFailures: NewFailures | undefined): string {
  const label = newFailures?.tests.includes(test) ? '**new** ' : '';
  const error = formatFirstLine(test, ERROR_CHARACTERS);
  const line = `- ${label}${formatCode(formatTestName(test))}`;
  return error ? `${line}: ${formatCode(error)}` : line;
}
