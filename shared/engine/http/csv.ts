/** RFC 4180 files of tables. Spreadsheets must not run their cells. */
import * as z from 'zod';
import { type Content, csv } from './content.ts';

type Cell = string | number | null;

/** A spreadsheet takes a text that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r\n]/;
const QUOTED = /[",\r\n]/;

/** Numbers stay numbers. An apostrophe marks a text that would be a formula as text. */
function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface CsvColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => Cell;
}

/** A line with the names of the columns, and one for each row. */
export const csvText = <Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ name }): Cell => name), ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
    .map((cells) => `${cells.map(cellText).join(',')}\r\n`)
    .join('');

/** A file with the rows of one page. Its headers say what the members beside the list say in JSON. */
export const pageFile = <Row>(
  name: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  headers: Readonly<Record<string, string>>,
): Content => csv(csvText(columns, rows), { name: `${name}.csv`, headers });

/** The query parameter `format` of a list whose files have the rows of one page. */
export const pageFormat = () => csvFormat('the rows of this page');

/** The query parameter `format` of a list. `rows` says which rows a file has. */
export const csvFormat = (rows: string) =>
  z
    .enum(['json', 'csv'])
    .default('json')
    .meta({ description: `\`csv\`: a file with ${rows}` });

export const columnOf = <Row>(name: string, cell: CsvColumn<Row>['cell']): CsvColumn<Row> => ({ name, cell });
