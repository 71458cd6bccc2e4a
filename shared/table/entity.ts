/** What the product stores, as data: a kind of item, its key and its stored form. One file per entity declares one of these. */
import type { TableKey } from './keys.ts';

/** Attributes as stored, without `pk` and `sk`. */
export type Attributes = { readonly [name: string]: unknown };

/** One row of the access-pattern chart in the README; a test compares the two. */
interface AccessPattern {
  readonly question: string;
  readonly key: string;
}

export interface Entity<Key, Item extends Key> {
  readonly type: string;
  readonly patterns: readonly AccessPattern[];
  readonly key: (key: Key) => TableKey;
  readonly store: (item: Item) => Attributes;
  readonly load: (attributes: Attributes) => Item;
}

/** Rows of one partition in sort-key order. `from` and `to` are inclusive sort keys. */
export interface Span {
  readonly pk: string;
  readonly from: string;
  readonly to: string;
}

/** All sort keys that begin with `start`: U+10FFFF sorts after every character a key can hold. */
export const beginningWith = (pk: string, start: string): Span => ({ pk, from: start, to: `${start}\u{10ffff}` });
