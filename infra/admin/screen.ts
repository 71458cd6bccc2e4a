/** Rows for people. */
import { quiet, say } from '#infra/local/terminal.ts';
import type { Row } from './options.ts';

export function show(rows: readonly Row[]): void {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) say('None yet.');
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => (row[name] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  if (names.length > 0) say(quiet(line(names)));
  for (const row of rows) say(line(names.map((name) => row[name] ?? '')));
  if (names.includes('value')) say(quiet('The value is shown this once: keep it now.'));
}
