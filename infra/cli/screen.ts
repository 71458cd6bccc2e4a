/** Prints rows as a table, and formats what stands in its cells. */

import type { ShownRow } from '#infra/cli/command.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { printLine, quiet, TERMINAL } from './terminal/terminal.ts';

export function show(rows: readonly ShownRow[], advice?: string, terminal = TERMINAL): void {
  const names = Object.keys(rows[0] ?? {});
  // Names come from people, so control and directional characters are spelled out.
  const cells = rows.map((row) => names.map((name) => makeVisibleLine(row[name] ?? '')));
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  printLine(names.length === 0 ? 'None.' : quiet(line(names), terminal), terminal);
  for (const row of cells) printLine(line(row), terminal);
  if (advice !== undefined) printLine(quiet(advice, terminal), terminal);
}

export const formatTimeCell = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '' : new Date(milliseconds).toISOString();
