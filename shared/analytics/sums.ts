import { addColumn, decodeRanges, encodeColumn, encodeRanges, type PackedColumn } from './packed-column.ts';

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
