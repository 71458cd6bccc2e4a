/** Yields rows that waited for the end of a file, and lets go of each one, so that they and their tests need no memory together. */
export function* takeRows<Row>(rows: Row[]): Generator<Row, void> {
  rows.reverse();
  for (let row = rows.pop(); row !== undefined; row = rows.pop()) yield row;
}
