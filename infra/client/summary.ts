/** The result of an upload for people: on the terminal, and as Markdown for the summary of a CI job. */
import { styleText } from 'node:util';
import type { Import, ImportedFile, Uploaded } from './answers.ts';

const COUNTS = ['overall', 'passes', 'failures', 'flaky', 'skipped', 'pending'] as const;
const NAMES = {
  overall: 'tests',
  passes: 'passed',
  failures: 'failed',
  flaky: 'flaky',
  skipped: 'skipped',
  pending: 'pending',
};

type Counts = ImportedFile['tests'];

export function totalOf(imports: readonly Import[]): Counts {
  const all = imports.flatMap(({ files }) => files.map(({ tests }) => tests));
  const sum = (name: keyof Counts) => all.reduce((total, tests) => total + tests[name], 0);
  return {
    ...{ overall: sum('overall'), passes: sum('passes'), failures: sum('failures') },
    ...{ flaky: sum('flaky'), skipped: sum('skipped'), pending: sum('pending') },
  };
}

/** `styleText` uses colours only on a terminal. */
const styled = (style: 'bold' | 'red' | 'green' | 'yellow' | 'dim', text: string): string =>
  styleText(style, text, { stream: process.stdout });

const countsText = (counts: Counts): string =>
  COUNTS.filter((name) => counts[name] > 0 || name === 'overall')
    .map((name) => `${counts[name]} ${NAMES[name]}`)
    .join(', ');

export function terminalSummary({ runUrl, imports }: Uploaded): string {
  const lines = imports.flatMap(({ files }) =>
    files.flatMap((file) => [
      `${styled(file.tests.failures > 0 ? 'red' : 'green', file.tests.failures > 0 ? '✗' : '✓')} ${file.name}  ${countsText(file.tests)}${file.truncated ? styled('yellow', '  ends early') : ''}`,
      ...file.warnings.map(({ line, message }) =>
        styled('dim', `  ${line === null ? '' : `line ${line}: `}${message}`),
      ),
    ]),
  );
  return [...lines, ...(runUrl ? [styled('bold', runUrl)] : [])].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/[\r\n]+/g, ' ');

export function markdownSummary({ runUrl, imports }: Uploaded): string {
  const rows = imports.flatMap(({ files }) =>
    files.map(({ name, tests }) => `| ${cell(name)} | ${COUNTS.map((count) => tests[count]).join(' | ')} |`),
  );
  const total = COUNTS.map((count) => totalOf(imports)[count]).join(' | ');
  return [
    '### Test results',
    '',
    `| Report | ${COUNTS.map((count) => NAMES[count]).join(' | ')} |`,
    `|---|${COUNTS.map(() => '---:').join('|')}|`,
    ...rows,
    ...(rows.length > 1 ? [`| **All** | ${total} |`] : []),
    '',
    ...(runUrl ? [`[The run in Rundown](${runUrl})`, ''] : []),
    '',
  ].join('\n');
}

/** The outputs of a step of GitHub Actions. */
export function stepOutputs({ runUrl, imports }: Uploaded): string {
  const { overall, failures, flaky } = totalOf(imports);
  return `run-url=${runUrl ?? ''}\ntests=${overall}\nfailed=${failures}\nflaky=${flaky}\n`;
}
