/** §8 Offset pagination of a list that is completely in memory. */

export interface OffsetPage<Row> {
  readonly list: Row[];
  readonly total: number;
  readonly nextPage: number | false;
}

export function paginateByOffset<Row>(
  rows: readonly Row[],
  { limit, page }: { readonly limit: number; readonly page: number },
): OffsetPage<Row> {
  const end = (page + 1) * limit;
  return { list: rows.slice(page * limit, end), total: rows.length, nextPage: end < rows.length ? page + 1 : false };
}
