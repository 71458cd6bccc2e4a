/** Sorts rows. Null values come last in both directions. */

type Direction = 'asc' | 'desc';
type Value = string | number | null;

/** Comparing UTF-16 units would give a different order above U+FFFF. */
export function compareByCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const difference = rankUnit(one.charCodeAt(at)) - rankUnit(other.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Ranks surrogates after all other UTF-16 units, because they encode the code points above U+FFFF. */
function rankUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

function compareValues(one: Value, other: Value, direction: Direction): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  const difference =
    typeof one === 'number' && typeof other === 'number' ? one - other : compareByCodePoints(`${one}`, `${other}`);
  return direction === 'asc' ? difference : -difference;
}

interface Order<Row> {
  readonly by: (row: Row) => Value;
  readonly direction: Direction;
  /** Ties are broken by these values, ascending. */
  readonly thenBy: readonly ((row: Row) => Value)[];
}

export function sortRows<Row>(rows: readonly Row[], { by, direction, thenBy }: Order<Row>): Row[] {
  return rows.toSorted((one, other) => {
    const first = compareValues(by(one), by(other), direction);
    if (first !== 0) return first;
    for (const value of thenBy) {
      const next = compareValues(value(one), value(other), 'asc');
      if (next !== 0) return next;
    }
    return 0;
  });
}
