/** An entity describes a kind of item as data: its key and its stored form. Each file declares one entity. */
import type { TableKey } from './keys.ts';

/** Attributes as stored, without `pk` and `sk`. */
export type Attributes = { readonly [name: string]: unknown };

/** One row of the access-pattern chart in the README. A test compares the two. */
interface AccessPattern {
  readonly question: string;
  readonly key: string;
}

/** Properties of a kind of row, whatever its content is. */
export interface RowKind {
  readonly type: string;
  /**
   * Whether these rows decide permissions. Only functions that name them in `access.writes` may write them. IAM tells
   * rows apart by their partition keys, so guarded rows have partitions of their own.
   */
  readonly guarded: boolean;
  /**
   * The way in which rows of the kind are deleted. `apart`: by rules of their own, or never.
   */
  readonly removal: 'apart' | object;
  readonly patterns: readonly AccessPattern[];
}

export interface Entity<Key, Item extends Key> extends RowKind {
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

/** The span as the condition of a query. */
export const within = ({ pk, from, to }: Span) => ({
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
});

/** All sort keys that begin with `start`: U+10FFFF sorts after every character a key can hold. */
export const beginningWith = (pk: string, start: string): Span => ({ pk, from: start, to: `${start}\u{10ffff}` });

/** All rows of a partition. DynamoDB refuses an empty string in a key condition, and keys escape control characters. */
export const wholePartition = (pk: string): Span => ({ pk, from: '\u0001', to: '\u{10ffff}' });
