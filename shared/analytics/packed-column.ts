/** Encodes columns of integers so that JSON and compression store them in few bytes. */
const DENSE = 0;
const SPARSE = 1;
/** Columns with more non-zero values are dense, because such a value takes two numbers in sparse form. */
const SPARSE_SHARE = 0.3;

/**
 * The first number names the encoding. In dense form, all values follow. In sparse form, pairs follow, each with the
 * number of skipped zeros and the next value.
 */
export type PackedColumn = readonly number[];

export function encodeColumn(values: ArrayLike<number>): PackedColumn {
  const all = Array.from(values);
  const nonZeroCount = all.reduce((count, value) => count + (value === 0 ? 0 : 1), 0);
  if (nonZeroCount > all.length * SPARSE_SHARE) return [DENSE, ...all];
  const column = [SPARSE];
  let gap = 0;
  for (const value of all) {
    if (value === 0) gap += 1;
    else {
      column.push(gap, value);
      gap = 0;
    }
  }
  return column;
}

/**
 * Adds each value to the total at the index that `places` gives. A negative index means that the value is skipped.
 * Without `places`, the values are added in their order.
 */
export function addColumn(totals: Float64Array, column: PackedColumn, places?: readonly number[]): void {
  const add = (index: number, value = 0) => {
    const place = places ? (places[index] ?? -1) : index;
    if (place >= 0) totals[place] = (totals[place] ?? 0) + value;
  };
  if (column[0] === DENSE) {
    for (let index = 1; index < column.length; index += 1) add(index - 1, column[index]);
    return;
  }
  let index = 0;
  for (let at = 1; at < column.length; at += 2) {
    index += column[at] ?? 0;
    add(index, column[at + 1]);
    index += 1;
  }
}

/** Encodes ascending numbers as pairs: how many numbers are skipped, and how many follow in a row. */
export function encodeRanges(numbers: readonly number[]): number[] {
  const ranges: number[] = [];
  let next = 0;
  for (const number of numbers) {
    if (number === next && ranges.length > 0) ranges[ranges.length - 1] = (ranges.at(-1) ?? 0) + 1;
    else ranges.push(number - next, 1);
    next = number + 1;
  }
  return ranges;
}

export function decodeRanges(ranges: readonly number[]): number[] {
  const numbers: number[] = [];
  let next = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    next += ranges[index] ?? 0;
    for (let left = ranges[index + 1] ?? 0; left > 0; left -= 1) numbers.push(next++);
  }
  return numbers;
}
