/** Sort order and pages of lists that are paged by offset. */

export type Direction = 'asc' | 'desc';
export type Value = string | number | null;

/** Compares texts by code point. UTF-16 order differs above U+FFFF. */
function compareTexts(one: string, other: string): number {
  const left = [...one];
  const right = [...other];
  for (let place = 0; place < Math.min(left.length, right.length); place += 1) {
    const difference = (left[place]?.codePointAt(0) ?? 0) - (right[place]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Compares two values in this direction, except that `null` comes last in both directions. */
export function compareValues(one: Value, other: Value, direction: Direction): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const ascending =
    typeof one === 'number' && typeof other === 'number' ? one - other : compareTexts(String(one), String(other));
  return direction === 'asc' ? ascending : -ascending;
}

/** Sorts by the first value in this direction. The other values break ties in ascending order. */
export function ordered<Row>(
  rows: readonly Row[],
  direction: Direction,
  values: (row: Row) => readonly Value[],
): Row[] {
  return [...rows].sort((one, other) => {
    const left = values(one);
    const right = values(other);
    for (const [place, value] of left.entries()) {
      const difference = compareValues(value, right[place] ?? null, place === 0 ? direction : 'asc');
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

export interface OffsetPage<Row> {
  readonly list: readonly Row[];
  readonly total: number;
  readonly nextPage: number | false;
}

export const pageOf = <Row>(rows: readonly Row[], page: number, limit: number): OffsetPage<Row> => ({
  list: rows.filter((_, index) => index >= page * limit && index < (page + 1) * limit),
  total: rows.length,
  nextPage: rows.length > (page + 1) * limit ? page + 1 : false,
});
