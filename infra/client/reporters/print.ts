/**
 * What people read about a recording: a few lines in the terminal, and in GitHub Actions also a summary and
 * annotations. Names and messages of tests may contain characters that forge what people read, so these are spelled out.
 */
import { appendFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { styleText } from 'node:util';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import { type FailedTest, NAMED_FAILURES, type NewFailures, type Recorded } from './recorder.ts';

const ANNOTATIONS = 10;
const LISTED = NAMED_FAILURES;
const ERROR_CHARACTERS = 300;
const TERMINAL_ERROR_CHARACTERS = 60;
const INDENT = ' '.repeat('Rundown  '.length);

/**
 * Prints the result of a recording. In GitHub Actions, it also prints annotations, and writes the job summary and the
 * outputs of the step.
 */
export function printRecorded(recorded: Recorded, root: string, print: (line: string) => void = console.log): void {
  const { env } = process;
  for (const line of terminalLines(recorded)) print(line);
  if (recorded.versionNotice !== undefined) console.error(`Rundown  ${recorded.versionNotice}`);
  if (env['GITHUB_ACTIONS'] !== 'true') return;
  for (const line of annotations(recorded, env['GITHUB_WORKSPACE'] ?? root)) print(line);
  append(env['GITHUB_STEP_SUMMARY'], markdownOf(recorded));
  const { runUrl, newFailures } = recorded;
  append(env['GITHUB_OUTPUT'], `run-url=${runUrl ?? ''}\nnew-failures=${newFailures?.count ?? ''}\n`);
}

function append(path: string | undefined, text: string): void {
  try {
    if (path) appendFileSync(path, text);
  } catch {
    // The summary of the job is a convenience. The run is recorded without it.
  }
}

const styled = (style: Parameters<typeof styleText>[0], text: string): string =>
  // Node 20.12 does not know the option `stream`, and would write escape codes into files.
  process.stdout.isTTY ? styleText(style, text, { stream: process.stdout }) : text;

const nameOf = ({ spec, title }: FailedTest): string => makeVisibleLine([spec, ...title].join(' › '));
const firstLine = ({ message }: FailedTest, characters: number): string =>
  makeVisibleLine(formatErrorLine({ message, stack: null }, characters));

export function terminalLines({
  runUrl,
  counts,
  notRecorded,
  newFailures,
  runProblems,
  problems,
  waitsForMachines,
  cancelled,
}: Omit<Recorded, 'failed' | 'isIncomplete' | 'versionNotice'>): string[] {
  const shown = OUTCOMES.flatMap(([outcome, name]) => {
    if (counts[outcome] === 0) return [];
    return `${counts[outcome]} ${name}${outcome === 'failed' ? newText(newFailures) : ''}`;
  });
  const waiting = waitsForMachines > 0 ? [`other machines that are still recording this run: ${waitsForMachines}`] : [];
  const [first] = newFailures?.tests ?? [];
  const others = (newFailures?.count ?? 0) - 1;
  // The escape sequence OSC 8 makes the URL a link that people can open in the terminal.
  const link = process.stdout.isTTY ? `\u001b]8;;${runUrl}\u001b\\${runUrl}\u001b]8;;\u001b\\` : runUrl;
  return [
    ...(runUrl || notRecorded > 0
      ? [`${styled('bold', 'Rundown')}  ${recordedText({ counts, notRecorded })}${runUrl ? `  →  ${link}` : ''}`]
      : []),
    ...(shown.length + waiting.length > 0 ? [`${INDENT}${[...shown, ...waiting].join(' · ')}`] : []),
    ...(first
      ? [
          `${INDENT}${styled('red', 'new:')} ${nameOf(first)}  ${styled('dim', firstLine(first, TERMINAL_ERROR_CHARACTERS))}${others > 0 ? `  and ${newFailures?.mayBeMore ? 'at least ' : ''}${others} more` : ''}`,
        ]
      : []),
    ...problemLines(runProblems),
    ...(cancelled === undefined ? [] : [`${INDENT}The run was cancelled ${makeVisibleLine(cancelled)}`]),
    ...problems.map((problem) => `${styled('yellow', 'Rundown')}  ${makeVisibleLine(problem)}`),
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

/** How many tests the service has recorded, and how many it has not. */
function recordedText({ counts: { overall }, notRecorded }: Pick<Recorded, 'counts' | 'notRecorded'>): string {
  const countText = (count: number) => (count === 1 ? '1 test' : `${count.toLocaleString('en')} tests`);
  if (notRecorded === 0) return `${countText(overall)} recorded`;
  const lost = `${notRecorded.toLocaleString('en')} of ${countText(overall)} ${notRecorded === 1 ? 'was' : 'were'} not recorded`;
  return styled('red', lost);
}

function newText(failures: NewFailures | undefined): string {
  if (failures === undefined || failures.count === 0) return '';
  const { count, mayBeMore, areOfRun } = failures;
  return ` (${mayBeMore ? 'at least ' : ''}${count} new${areOfRun ? ' in the whole run' : ''})`;
}

function problemLines(problems: Recorded['runProblems']): string[] {
  const shown = problems.slice(0, LISTED_PROBLEMS).map(({ message, failsRun }) => {
    const label = failsRun ? styled('red', 'run failed:') : styled('yellow', 'warning:');
    return `${INDENT}${label} ${makeVisibleLine(formatErrorLine({ message, stack: null }, ERROR_CHARACTERS))}`;
  });
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, `${INDENT}and ${more} more on the page of the run`] : shown;
}
const LISTED_PROBLEMS = 5;

function newFirst({ failed, newFailures }: Recorded): readonly FailedTest[] {
  const known = newFailures?.tests ?? [];
  return [...known, ...failed.filter((test) => !known.includes(test))];
}

/** GitHub shows at most ten annotations of a step, so new failures come first. */
function annotations(recorded: Recorded, workspace: string): string[] {
  return newFirst(recorded)
    .slice(0, ANNOTATIONS)
    .map((test) => {
      const { file = '', line } = test.location ?? {};
      const path = isAbsolute(file) ? relative(workspace, file) : file;
      const place = test.location ? `file=${property(path)},line=${line},` : '';
      return `::error ${place}title=${property(nameOf(test))}::${escaped(firstLine(test, ERROR_CHARACTERS))}`;
    });
}

const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Texts of tests are shown as code, so that they are not interpreted as Markdown. */
const codeOf = (text: string): string => `\`${makeVisibleLine(text).replaceAll('`', "'")}\``;

function markdownOf(recorded: Recorded): string {
  const { runUrl, counts, failed, newFailures, runProblems, problems } = recorded;
  const isNew = new Set(newFailures?.tests);
  const lines = newFirst(recorded)
    .slice(0, LISTED)
    .map((test) => {
      const error = firstLine(test, ERROR_CHARACTERS);
      return `- ${isNew.has(test) ? '**new** ' : ''}${codeOf(nameOf(test))}${error ? `: ${codeOf(error)}` : ''}`;
    });
  const more = failed.length - lines.length;
  return [
    '### Test results',
    '',
    `${recordedText(recorded)}: ${OUTCOMES.map(([outcome, name]) => `${counts[outcome]} ${name}${outcome === 'failed' ? newText(newFailures) : ''}`).join(', ')}`,
    '',
    ...runProblems
      .slice(0, LISTED)
      .map(
        ({ message, failsRun }) =>
          `- ${failsRun ? '**run failed** ' : ''}${codeOf(formatErrorLine({ message, stack: null }, ERROR_CHARACTERS))}`,
      ),
    ...(runProblems.length > 0 ? [''] : []),
    ...lines,
    ...(more > 0 ? [`- and ${more} more on the page of the run`] : []),
    ...(lines.length > 0 ? [''] : []),
    ...problems.flatMap((problem) => [`- ${codeOf(problem)}`, '']),
    ...(runUrl ? [`[The run in Rundown](${runUrl})`, ''] : []),
    '',
  ].join('\n');
}
