/**
 * Formats the result of an upload for people: as text for the terminal, and as Markdown for the summary of a CI job.
 */
import { styleText } from 'node:util';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { formatErrorLine } from '#shared/errors/error-line.ts';
import type { CommandImports, FailedTests, ReceivedFile, ReceivedImport } from './answers.ts';

const COUNTS = ['overall', 'passes', 'failures', 'flaky', 'skipped', 'pending'] as const;
/** The words for people, as on pages and in the last lines of the reporters. */
const NAMES = {
  overall: 'tests',
  passes: 'passed',
  failures: 'failed',
  flaky: 'flaky',
  skipped: 'did not run',
  pending: 'skipped',
};

type Counts = ReceivedFile['tests'];

export function sumCounts(imports: readonly ReceivedImport[]): Counts {
  const total = { overall: 0, passes: 0, failures: 0, flaky: 0, skipped: 0, pending: 0 };
  for (const { tests } of imports.flatMap(({ files }) => files)) for (const name of COUNTS) total[name] += tests[name];
  return total;
}

/** Plain text if stdout is not a terminal. */
export const applyStyle = (style: 'bold' | 'red' | 'green' | 'yellow' | 'dim', text: string): string =>
  styleText(style, text, { stream: process.stdout });

/** Each test counts once, so that the numbers add up to the total: `passes` of the API includes the flaky tests. */
const excludeFlaky = (counts: Counts): Counts => ({ ...counts, passes: Math.max(0, counts.passes - counts.flaky) });

const formatCounts = (counts: Counts): string =>
  COUNTS.filter((name) => counts[name] > 0 || name === 'overall')
    .map((name) => (name === 'overall' && counts.overall === 1 ? '1 test' : `${counts[name]} ${NAMES[name]}`))
    .join(', ');

const listProblems = ({ runErrors, warnings }: ReceivedFile): string[] =>
  [
    ...runErrors.map((message) => `error outside tests: ${message}`),
    ...warnings.map(({ line, message }) => `${line === null ? '' : `line ${line}: `}${message}`),
  ].map(makeVisibleLine);

const hasFailed = ({ tests, runErrors, truncated }: ReceivedFile): boolean =>
  tests.failures > 0 || runErrors.length > 0 || truncated;

export function formatTerminalSummary({ runUrl, imports }: CommandImports): string {
  const lines = imports.flatMap(({ files }) => files.flatMap(formatFile));
  if (runUrl) lines.push(applyStyle('bold', runUrl));
  return lines.join('\n');
}

function formatFile(file: ReceivedFile): string[] {
  const mark = hasFailed(file) ? applyStyle('red', '✗') : applyStyle('green', '✓');
  const end = file.truncated ? applyStyle('yellow', '  ends early') : '';
  const problems = listProblems(file).map((problem) => applyStyle('dim', `  ${problem}`));
  return [`${mark} ${makeVisibleLine(file.name)}  ${formatCounts(excludeFlaky(file.tests))}${end}`, ...problems];
}

const escapeCell = (text: string): string => makeVisibleLine(text).replaceAll('|', '\\|');

/** Messages may contain text of the tested application, which must not be interpreted as Markdown. */
const formatCode = (text: string): string => `\`${makeVisibleLine(text).replaceAll('`', "'")}\``;

function formatProblems(imports: readonly ReceivedImport[]): string[] {
  const problems = imports.flatMap(({ files }) =>
    files.flatMap((file) => listProblems(file).map((problem) => `- ${escapeCell(file.name)}: ${formatCode(problem)}`)),
  );
  const more = problems.length - LISTED_PROBLEMS;
  const rest = more > 0 ? [`- and ${more} more on the page of the import`] : [];
  return problems.length === 0 ? [] : [...problems.slice(0, LISTED_PROBLEMS), ...rest, ''];
}

const LISTED_PROBLEMS = 20;

/** The maximum length of an error message in the list. The linked pages show the whole message. */
const ERROR_CHARACTERS = 300;

function formatFailedTests({ tests, total }: FailedTests, runUrl: string): string[] {
  if (total === 0) return [];
  const lines = tests.map(({ title, spec, message, instanceId, testId }) => {
    const page = `${runUrl}/i/${encodeURIComponent(instanceId)}/test/${encodeURIComponent(testId)}`;
    const line = formatErrorLine({ message, stack: null }, ERROR_CHARACTERS);
    return `- ${formatCode(title.join(' › '))} in ${formatCode(spec)} ([open](${page}))${line ? `: ${formatCode(line)}` : ''}`;
  });
  const more = total - tests.length;
  return [
    `#### Failed tests (${total})`,
    '',
    ...lines,
    ...(more > 0 ? [`- and ${more} more on the page of the run`] : []),
    '',
  ];
}

export interface ImportProblem {
  readonly message: string;
  /** What the person should do next. */
  readonly next: string;
}

export const formatLossSummary = (loss: string, { message, next }: ImportProblem): string =>
  `### Test results\n\n${loss}: ${formatCode(message)}. ${formatCode(next)}.\n\n`;

export function formatMarkdownSummary(
  { runUrl, imports, refused }: CommandImports,
  failedTests: FailedTests | undefined,
): string {
  const rows = imports.flatMap(({ files }) =>
    files.map(
      ({ name, tests }) => `| ${escapeCell(name)} | ${COUNTS.map((count) => excludeFlaky(tests)[count]).join(' | ')} |`,
    ),
  );
  const total = COUNTS.map((count) => excludeFlaky(sumCounts(imports))[count]).join(' | ');
  return [
    '### Test results',
    '',
    `| Report | ${COUNTS.map((count) => NAMES[count]).join(' | ')} |`,
    `|---|${COUNTS.map(() => '---:').join('|')}|`,
    ...rows,
    ...(rows.length > 1 ? [`| **All** | ${total} |`] : []),
    '',
    ...(failedTests && runUrl ? formatFailedTests(failedTests, runUrl) : []),
    ...formatProblems(imports),
    ...refused.flatMap(({ message }) => [`- Refused: ${formatCode(message)}`, '']),
    ...(runUrl ? [`[The run in Rundown](${runUrl})`, ''] : []),
    '',
  ].join('\n');
}

/** The outputs of the step in GitHub Actions. */
export function formatStepOutputs({ runUrl, imports }: CommandImports): string {
  const { overall, failures, flaky } = sumCounts(imports);
  return `run-url=${runUrl ?? ''}\ntests=${overall}\nfailed=${failures}\nflaky=${flaky}\n`;
}
