/**
 * What people read about a recording: a few lines in the terminal, and in GitHub Actions also a summary and
 * annotations. Names and messages of tests may contain characters that forge what people read, so these are spelled out.
 */
import { appendFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { styleText } from 'node:util';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { type FailedTest, NAMED_FAILURES, type NewFailures, type RecordingResult } from './recorder.ts';

const ANNOTATIONS = 10;
const LISTED = NAMED_FAILURES;
const ERROR_CHARACTERS = 300;
const TERMINAL_ERROR_CHARACTERS = 60;
const INDENT = ' '.repeat('Rundown  '.length);

/** In GitHub Actions, it also prints annotations, and writes the job summary and the outputs of the step. */
export function printRecorded(
  result: RecordingResult,
  root: string,
  print: (line: string) => void = console.log,
): void {
  const { env } = process;
  for (const line of formatTerminalLines(result)) print(line);
  if (result.versionNotice !== undefined) console.error(`Rundown  ${result.versionNotice}`);
  if (env['GITHUB_ACTIONS'] !== 'true') return;
  for (const line of formatAnnotations(result, env['GITHUB_WORKSPACE'] ?? root)) print(line);
  append(env['GITHUB_STEP_SUMMARY'], formatJobSummary(result));
  const { runUrl, newFailures } = result;
  append(env['GITHUB_OUTPUT'], `run-url=${runUrl ?? ''}\nnew-failures=${newFailures?.count ?? ''}\n`);
}

function append(path: string | undefined, text: string): void {
  try {
    if (path) appendFileSync(path, text);
  } catch {
    // The summary of the job is a convenience. The run is recorded without it.
  }
}

const applyStyle = (style: Parameters<typeof styleText>[0], text: string): string =>
  // Node 20.12 does not know the option `stream`, and would write escape codes into files.
  process.stdout.isTTY ? styleText(style, text, { stream: process.stdout }) : text;

const formatTestName = ({ spec, title }: FailedTest): string => makeVisibleLine([spec, ...title].join(' › '));
const formatFirstLine = ({ message }: FailedTest, characters: number): string =>
  makeVisibleLine(formatErrorLine({ message, stack: null }, characters));

export function formatTerminalLines({
  runUrl,
  counts,
  notRecorded,
  newFailures,
  runProblems,
  problems,
  waitsForMachines,
  cancelled,
}: Omit<RecordingResult, 'failed' | 'isIncomplete' | 'versionNotice'>): string[] {
  const countTexts = OUTCOMES.flatMap(([outcome, name]) => {
    if (counts[outcome] === 0) return [];
    return `${counts[outcome]} ${name}${outcome === 'failed' ? formatNewFailures(newFailures) : ''}`;
  });
  const waitTexts =
    waitsForMachines > 0 ? [`other machines that are still recording this run: ${waitsForMachines}`] : [];
  const [first] = newFailures?.tests ?? [];
  const others = (newFailures?.count ?? 0) - 1;
  // The escape sequence OSC 8 makes the URL a link that people can open in the terminal.
  const link = process.stdout.isTTY ? `\u001b]8;;${runUrl}\u001b\\${runUrl}\u001b]8;;\u001b\\` : runUrl;
  return [
    ...(runUrl || notRecorded > 0
      ? [
          `${applyStyle('bold', 'Rundown')}  ${formatRecordedCount({ counts, notRecorded })}${runUrl ? `  →  ${link}` : ''}`,
        ]
      : []),
    ...(countTexts.length + waitTexts.length > 0 ? [`${INDENT}${[...countTexts, ...waitTexts].join(' · ')}`] : []),
    ...(first
      ? [
          `${INDENT}${applyStyle('red', 'new:')} ${formatTestName(first)}  ${applyStyle('dim', formatFirstLine(first, TERMINAL_ERROR_CHARACTERS))}${others > 0 ? `  and ${newFailures?.mayBeMore ? 'at least ' : ''}${others} more` : ''}`,
        ]
      : []),
    ...formatProblemLines(runProblems),
    ...(cancelled === undefined ? [] : [`${INDENT}The run was cancelled ${makeVisibleLine(cancelled)}`]),
    ...problems.map((problem) => `${applyStyle('yellow', 'Rundown')}  ${makeVisibleLine(problem)}`),
  ];
}

/** What people call the outcomes. Each test has exactly one of them. */
const OUTCOMES = [
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['flaky', 'flaky'],
  ['skipped', 'did not run'],
  ['pending', 'skipped'],
] as const;

function formatRecordedCount({
  counts: { overall },
  notRecorded,
}: Pick<RecordingResult, 'counts' | 'notRecorded'>): string {
  const countText = (count: number) => (count === 1 ? '1 test' : `${count.toLocaleString('en')} tests`);
  if (notRecorded === 0) return `${countText(overall)} recorded`;
  const lossText = `${notRecorded.toLocaleString('en')} of ${countText(overall)} ${notRecorded === 1 ? 'was' : 'were'} not recorded`;
  return applyStyle('red', lossText);
}

function formatNewFailures(failures: NewFailures | undefined): string {
  if (failures === undefined || failures.count === 0) return '';
  const { count, mayBeMore, areOfRun } = failures;
  return ` (${mayBeMore ? 'at least ' : ''}${count} new${areOfRun ? ' in the whole run' : ''})`;
}

function formatProblemLines(problems: RecordingResult['runProblems']): string[] {
  const lines = problems.slice(0, LISTED_PROBLEMS).map(({ message, failsRun }) => {
    const label = failsRun ? applyStyle('red', 'run failed:') : applyStyle('yellow', 'warning:');
    return `${INDENT}${label} ${makeVisibleLine(formatErrorLine({ message, stack: null }, ERROR_CHARACTERS))}`;
  });
  const more = problems.length - lines.length;
  return more > 0 ? [...lines, `${INDENT}and ${more} more on the page of the run`] : lines;
}
const LISTED_PROBLEMS = 5;

function listNewFirst({ failed, newFailures }: RecordingResult): readonly FailedTest[] {
  const newTests = newFailures?.tests ?? [];
  return [...newTests, ...failed.filter((test) => !newTests.includes(test))];
}

/** GitHub shows at most ten annotations of a step, so new failures come first. */
function formatAnnotations(result: RecordingResult, workspace: string): string[] {
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

function formatJobSummary(result: RecordingResult): string {
  const { runUrl, counts, failed, newFailures, runProblems, problems } = result;
  const isNew = new Set(newFailures?.tests);
  const lines = listNewFirst(result)
    .slice(0, LISTED)
    .map((test) => {
      const error = formatFirstLine(test, ERROR_CHARACTERS);
      return `- ${isNew.has(test) ? '**new** ' : ''}${formatCode(formatTestName(test))}${error ? `: ${formatCode(error)}` : ''}`;
    });
  const more = failed.length - lines.length;
  return [
    '### Test results',
    '',
    `${formatRecordedCount(result)}: ${OUTCOMES.map(([outcome, name]) => `${counts[outcome]} ${name}${outcome === 'failed' ? formatNewFailures(newFailures) : ''}`).join(', ')}`,
    '',
    ...runProblems
      .slice(0, LISTED)
      .map(
        ({ message, failsRun }) =>
          `- ${failsRun ? '**run failed** ' : ''}${formatCode(formatErrorLine({ message, stack: null }, ERROR_CHARACTERS))}`,
      ),
    ...(runProblems.length > 0 ? [''] : []),
    ...lines,
    ...(more > 0 ? [`- and ${more} more on the page of the run`] : []),
    ...(lines.length > 0 ? [''] : []),
    ...problems.flatMap((problem) => [`- ${formatCode(problem)}`, '']),
    ...(runUrl ? [`[The run in Rundown](${runUrl})`, ''] : []),
    '',
  ].join('\n');
}
