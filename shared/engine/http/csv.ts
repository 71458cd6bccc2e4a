/** CSV files (RFC 4180) that are safe from formula injection in spreadsheets. */
import * as z from 'zod';
import { type Content, makeCsvContent } from './content.ts';

type Cell = string | number | null;

/** Spreadsheets treat a text that begins with one of these characters as a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;
const QUOTED = /[",\r\n]/;

/** A text that looks like a formula gets a leading apostrophe, so that spreadsheets do not run it. */
function formatCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface CsvColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => Cell;
}

export const formatCsv = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ name }): Cell => name), ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
    .map((cells) => `${cells.map(formatCell).join(',')}\r\n`)
    .join('');

/** `headers`: HTTP headers with the values that the JSON response contains besides the list. */
export const makePageFile = <Row>(
  name: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  headers: Readonly<Record<string, string>>,
): Content => makeCsvContent(formatCsv(columns, rows), { name: `${name}.csv`, headers });

/** For a list whose CSV files contain one page. */
export const pageFormat = () => csvFormat('the rows of this page');

/** The query parameter `format` of a list. `rows` says which rows the CSV file contains. */
export const csvFormat = (rows: string) =>
  z
    .enum(['json', 'csv'])
    .default('json')
    .meta({ description: `\`csv\`: a file with ${rows}` });

export const makeColumn = <Row>(name: string, cell: CsvColumn<Row>['cell']): CsvColumn<Row> => ({ name, cell });

/** Columns that show the members of a row under their own names. */
export const makeColumns = <Name extends string>(
  ...names: readonly Name[]
): CsvColumn<Readonly<Record<Name, Cell>>>[] => names.map((name) => makeColumn(name, (row) => row[name]));
