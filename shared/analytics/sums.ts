/**
 * Totals keyed by number, such as the totals of all tests by test number. They can be added in any order and grouping
 * with the same result.
 */

/** The stored form of totals. */
export interface StoredSums {
  /** The numbers (of tests, for example) that have totals, encoded as ranges. */
  readonly r: readonly number[];
  readonly sums: readonly PackedColumn[];
  /** Per `largest` field: the distinct `values` in descending order, and `at` with indexes into them. */
  readonly largest: readonly { readonly values: readonly number[]; readonly at: PackedColumn }[];
}

interface Row {
  readonly number: number;
  readonly sums: readonly number[];
  readonly largest: readonly number[];
}

const FIRST_CAPACITY = 64;

export class Sums {
  readonly #places = new Map<number, number>();
  readonly #sumFields: number;
  readonly #fields: Float64Array[];

  /** The number of fields whose values are added up (`sums`), or of which the largest is kept (`largest`). */
  constructor({ sums, largest }: { readonly sums: number; readonly largest: number }) {
    this.#sumFields = sums;
    this.#fields = Array.from({ length: sums + largest }, () => new Float64Array(FIRST_CAPACITY));
  }

  addRow(number: number, sums: readonly number[], largest: readonly number[]): void {
    const place = this.#placeOf(number);
    for (const [field, value] of sums.entries()) this.#add(field, place, value);
    for (const [field, value] of largest.entries()) this.#raise(this.#sumFields + field, place, value);
  }

  /** Adds stored totals. If `isWanted` is given, adds only the totals of the numbers for which it returns true. */
  add(storedSums: StoredSums, isWanted?: (number: number) => boolean): void {
    const places = decodeRanges(storedSums.r).map((number) =>
      !isWanted || isWanted(number) ? this.#placeOf(number) : -1,
    );
    for (const [field, column] of storedSums.sums.entries()) {
      const values = this.#fields[field];
      if (values) addColumn(values, column, places);
    }
    for (const [field, { values, at }] of storedSums.largest.entries()) {
      const indexes = new Float64Array(places.length);
      addColumn(indexes, at);
      // This loop uses an index, because `entries()` would take longer than the rest of the loop.
      for (let index = 0; index < places.length; index += 1) {
        const place = places[index] ?? -1;
        if (place >= 0) this.#raise(this.#sumFields + field, place, values[indexes[index] ?? 0] ?? 0);
      }
    }
  }

  /** Returns one row per number, in ascending order. */
  rows(): Row[] {
    return this.#inOrder().map(([number, place]) => {
      const values = this.#fields.map((field) => field[place] ?? 0);
      return { number, sums: values.slice(0, this.#sumFields), largest: values.slice(this.#sumFields) };
    });
  }

  stored(): StoredSums {
    const all = this.#inOrder();
    const columns = this.#fields.map((field) => all.map(([, place]) => field[place] ?? 0));
    return {
      r: encodeRanges(all.map(([number]) => number)),
      sums: columns.slice(0, this.#sumFields).map(encodeColumn),
      largest: columns.slice(this.#sumFields).map(encodeLargest),
    };
  }

  #inOrder(): [number: number, place: number][] {
    return [...this.#places].sort(([one], [other]) => one - other);
  }

  #placeOf(number: number): number {
    const existingPlace = this.#places.get(number);
    if (existingPlace !== undefined) return existingPlace;
    const place = this.#places.size;
    this.#places.set(number, place);
    for (const [index, field] of this.#fields.entries()) {
      if (place < field.length) break;
      const wider = new Float64Array(field.length * 2);
      wider.set(field);
      this.#fields[index] = wider;
    }
    return place;
  }

  #add(field: number, place: number, value: number): void {
    const values = this.#fields[field];
    if (values) values[place] = (values[place] ?? 0) + value;
  }

  #raise(field: number, place: number, value: number): void {
    const values = this.#fields[field];
    if (values) values[place] = Math.max(values[place] ?? 0, value);
  }
}

function encodeLargest(values: readonly number[]) {
  const distinct = [...new Set(values)].sort((one, other) => other - one);
  const indexes = new Map(distinct.map((value, index) => [value, index]));
  return { values: distinct, at: encodeColumn(values.map((value) => indexes.get(value) ?? 0)) };
}

// Encodes columns of integers so that JSON and compression store them in few bytes.

const DENSE = 0;
const SPARSE = 1;
/** Columns with more non-zero values are dense, because such a value takes two numbers in sparse form. */
const SPARSE_SHARE = 0.3;

/**
 * The first number names the encoding. In dense form, all values follow. In sparse form, pairs follow, each with the
 * number of skipped zeros and the next value.
 */
type PackedColumn = readonly number[];

function encodeColumn(values: ArrayLike<number>): PackedColumn {
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
function addColumn(totals: Float64Array, column: PackedColumn, places?: readonly number[]): void {
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
