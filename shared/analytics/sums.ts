/**
 * Totals keyed by number, such as those of all tests. Addition is commutative and associative: any order and grouping
 * gives the same totals.
 */
import { addColumn, decodeColumn, decodeRanges, encodeColumn, encodeRanges, type PackedColumn } from './columns.ts';

/** The stored form of totals. */
export interface StoredSums {
  /** Numbers with totals, as ranges. */
  readonly r: readonly number[];
  readonly sums: readonly PackedColumn[];
  /** Columns of largest values: `at` has indexes into `values`, the distinct values in descending order. */
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

  /** Creates empty totals. `sums` fields are added up, and of `largest` fields the largest value is kept. */
  constructor({ sums, largest }: { readonly sums: number; readonly largest: number }) {
    this.#sumFields = sums;
    this.#fields = Array.from({ length: sums + largest }, () => new Float64Array(FIRST_CAPACITY));
  }

  addRow(number: number, sums: readonly number[], largest: readonly number[]): void {
    const place = this.#placeOf(number);
    for (const [field, value] of sums.entries()) this.#add(field, place, value);
    for (const [field, value] of largest.entries()) this.#raise(this.#sumFields + field, place, value);
  }

  /** Adds stored totals. `wanted` chooses numbers. */
  add(stored: StoredSums, wanted?: (number: number) => boolean): void {
    const places = decodeRanges(stored.r).map((number) => (!wanted || wanted(number) ? this.#placeOf(number) : -1));
    for (const [field, column] of stored.sums.entries()) {
      const values = this.#fields[field];
      if (values) addColumn(values, column, places);
    }
    for (const [field, { values, at }] of stored.largest.entries()) {
      const indexes = decodeColumn(at, places.length);
      // An indexed loop, because `entries()` would take longer than the rest of this loop.
      for (let index = 0; index < places.length; index += 1) {
        const place = places[index] ?? -1;
        if (place >= 0) this.#raise(this.#sumFields + field, place, values[indexes[index] ?? 0] ?? 0);
      }
    }
  }

  /** Rows in the order of their numbers. */
  rows(): Row[] {
    const all = [...this.#places].sort(([one], [other]) => one - other);
    return all.map(([number, place]) => {
      const values = this.#fields.map((field) => field[place] ?? 0);
      return { number, sums: values.slice(0, this.#sumFields), largest: values.slice(this.#sumFields) };
    });
  }

  stored(): StoredSums {
    const all = [...this.#places].sort(([one], [other]) => one - other);
    const columns = this.#fields.map((field) => all.map(([, place]) => field[place] ?? 0));
    return {
      r: encodeRanges(all.map(([number]) => number)),
      sums: columns.slice(0, this.#sumFields).map(encodeColumn),
      largest: columns.slice(this.#sumFields).map(storedLargest),
    };
  }

  #placeOf(number: number): number {
    const known = this.#places.get(number);
    if (known !== undefined) return known;
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

function storedLargest(values: readonly number[]) {
  const distinct = [...new Set(values)].sort((one, other) => other - one);
  const indexes = new Map(distinct.map((value, index) => [value, index]));
  return { values: distinct, at: encodeColumn(values.map((value) => indexes.get(value) ?? 0)) };
}
