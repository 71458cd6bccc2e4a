/** RFC 4180 files of tables. Spreadsheets must not run their cells. */

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

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => Cell;
}

/** A line with the names of the columns, and one for each row. */
export const csvText = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  [columns.map(({ name }): Cell => name), ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
    .map((cells) => `${cells.map(cellText).join(',')}\r\n`)
    .join('');
