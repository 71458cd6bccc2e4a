/** Prints measurements as a table, for a terminal or as Markdown. */
import { styleText } from 'node:util';
import { BUDGETS, type Budget, type Measurement, type Ratio } from './budgets.ts';

export type Verdict = 'target met' | 'ok' | 'missed' | '';
export type Table = readonly [head: readonly string[], ...rows: (readonly string[])[]];

/** Values are rounded to this many decimals before they are compared with their budgets and shown. */
const DECIMALS = 3;
const rounded = (value: number): number => Number(value.toFixed(DECIMALS));

export function verdictOf({ name, measured }: Measurement): Verdict {
  const { must, target }: Budget = BUDGETS[name];
  if (must === undefined) return '';
  if (rounded(measured) > must) return 'missed';
  return target === undefined || rounded(measured) > target ? 'ok' : 'target met';
}

const number = (value: number | undefined): string =>
  value === undefined ? '' : rounded(value).toLocaleString('en', { maximumFractionDigits: value < 10 ? 3 : 1 });

export function budgetTable(measurements: readonly Measurement[]): Table {
  const rows = measurements.map((measurement) => {
    const { label, unit, must, target }: Budget = BUDGETS[measurement.name];
    const { measured, note = '' } = measurement;
    return [label, number(measured), number(must), number(target), unit, verdictOf(measurement), note];
  });
  return [['Measurement', 'Measured', 'Must', 'Target', 'Unit', 'Verdict', 'Details'], ...rows];
}

export function ratioTable(ratios: readonly Ratio[]): Table {
  const rows = ratios.map(({ label, unit, ratio, perSecond, barePerSecond }) => [
    label,
    `1 / ${(1 / ratio).toFixed(1)}`,
    perSecond.toFixed(0),
    barePerSecond.toFixed(0),
    unit,
  ]);
  return [['Measurement', 'Ratio to bare node:http', 'Rundown', 'Bare', 'Unit'], ...rows];
}

export function markdown(table: Table): string {
  const [head] = table;
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...table.slice(1).map(line)].join('\n');
}

const STYLES = { missed: 'red', ok: 'yellow', 'target met': 'green' } as const;

/** Aligns columns, and uses colors only on a terminal. */
export function plain(table: Table): string {
  const [head] = table;
  const widths = head.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const lines = table.map((row, index) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    const line = cells.join('  ').trimEnd();
    return index === 0 ? styleText('bold', line, { stream: process.stdout }) : coloured(line, row);
  });
  return lines.join('\n');
}

function coloured(line: string, row: readonly string[]): string {
  for (const [verdict, style] of Object.entries(STYLES)) {
    if (row.includes(verdict))
      return line.replace(`  ${verdict}`, `  ${styleText(style, verdict, { stream: process.stdout })}`);
  }
  return line;
}
