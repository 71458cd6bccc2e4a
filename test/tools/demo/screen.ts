/** Prints the results of the demo, in color only if the terminal supports it. */
import { styleText } from 'node:util';
import { printLine, quiet, strong } from '#infra/cli/terminal/terminal.ts';
import type { Execution, FlakyTest, Group } from './readings.ts';

type Style = 'green' | 'red' | 'yellow' | 'dim';
const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string | number;
  readonly align?: 'right';
  readonly style?: (row: Row) => Style | undefined;
}

function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const widths = columns.map(({ head, cell }) => Math.max(head.length, ...rows.map((row) => String(cell(row)).length)));
  const pad = (text: string, column: number) => {
    const width = widths[column] ?? 0;
    return columns[column]?.align === 'right' ? text.padStart(width) : text.padEnd(width);
  };
  printLine(
    quiet(
      columns
        .map(({ head }, column) => pad(head, column))
        .join('  ')
        .trimEnd(),
    ),
  );
  for (const row of rows) {
    const cells = columns.map(({ cell, style }, column) => {
      const text = pad(String(cell(row)), column);
      const wanted = style?.(row);
      return wanted ? styled(wanted, text) : text;
    });
    printLine(cells.join('  ').trimEnd());
  }
}

const seconds = (milliseconds: number | null): string =>
  milliseconds === null ? '' : `${(milliseconds / 1000).toFixed(1)} s`;

const counted = (head: string, name: keyof Group['tests'], style: Style): Column<Group> => ({
  head,
  align: 'right',
  cell: ({ tests }) => tests[name],
  style: ({ tests }) => (tests[name] > 0 ? style : 'dim'),
});

export const showGroups = (groups: readonly Group[]): void =>
  table(
    [
      { head: 'Group', cell: ({ groupId }) => groupId },
      { head: 'Tests', cell: ({ tests }) => tests.overall, align: 'right' },
      counted('Passed', 'passes', 'green'),
      counted('Flaky', 'flaky', 'yellow'),
      counted('Failed', 'failures', 'red'),
      counted('Skipped', 'skipped', 'red'),
      counted('Pending', 'pending', 'dim'),
      counted('Retries', 'retries', 'yellow'),
      { head: 'Duration', cell: ({ durationMs }) => seconds(durationMs), align: 'right' },
    ],
    groups,
  );

type Verdict = 'passed' | 'flaky' | 'failed' | 'skipped' | 'pending';
const verdictOf = ({ status, flaky }: Execution): Verdict => (flaky && status === 'passed' ? 'flaky' : status);

const STYLES = {
  passed: 'green',
  flaky: 'yellow',
  failed: 'red',
  skipped: 'red',
  pending: 'dim',
} as const satisfies Record<Verdict, Style>;
/** Symbols that distinguish the outcomes even without colors. */
const SIGNS = { passed: '●', flaky: '◐', failed: '✕', skipped: '−', pending: '○' } as const satisfies Record<
  Verdict,
  string
>;

/**
 * Prints a row of symbols with the oldest execution on the left, and a table with the newest execution first, as in
 * `history`.
 */
export function showHistory({ spec, title }: FlakyTest, history: readonly Execution[]): void {
  printLine(`${strong(title.join(' › '))} ${quiet(spec)}`);
  const verdicts = history.map(verdictOf);
  const strip = verdicts.toReversed().map((verdict) => styled(STYLES[verdict], SIGNS[verdict]));
  const legend = [...new Set(verdicts)].map((verdict) => `${SIGNS[verdict]} ${verdict}`);
  printLine(`${strip.join(' ')}  ${quiet(legend.join('  '))}`);
  printLine('');
  table(
    [
      { head: 'When', cell: ({ createdAt }) => createdAt.slice(0, 19).replace('T', ' ') },
      { head: 'Group', cell: ({ groupId }) => groupId },
      { head: 'Outcome', cell: verdictOf, style: (execution) => STYLES[verdictOf(execution)] },
      { head: 'Attempts', cell: ({ attempts }) => attempts.map(({ state }) => state).join(', ') },
      { head: 'Duration', cell: ({ duration }) => `${duration} ms`, align: 'right' },
      { head: 'Run', cell: ({ runId }) => runId, style: () => 'dim' },
    ],
    history,
  );
}
