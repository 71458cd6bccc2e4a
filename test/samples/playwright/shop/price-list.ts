const columns = ['article', 'cents', 'cost'];

/** Article names with their price in cents, from comma-separated text whose first row names the columns. */
export function readPriceList(text: string): Map<string, number> {
  const [header = '', ...rows] = text.trim().split('\n');
  const missing = columns.find((column) => !header.split(',').includes(column));
  if (missing) throw new Error(`The price list has no column "${missing}"`);
  return new Map(rows.map((row) => row.split(',')).map(([article = '', cents]) => [article, Number(cents)]));
}
