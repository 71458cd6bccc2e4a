/** An entity describes a kind of database item: its key and how it is stored. The entities are declared in `model/`. */
import type { TableKey } from './keys.ts';

/** As they are stored, without `pk` and `sk`. */
export type Attributes = { readonly [name: string]: unknown };

/**
 * A row of the table in the README of `model/`. Its key is what `key()` returns for the names of the members
 * (`infra/build/key-patterns.ts`).
 */
interface AccessPattern<Key = object> {
  readonly question: string;
  /** Members that stand in the key with another word than their name, or with this value. */
  readonly of?: { readonly [Name in keyof Key]?: Key[Name] | string | undefined };
  /** In place of a key that `key()` computes from its members, such as a shard. */
  readonly pk?: string;
  readonly sk?: string;
  /** The beginning of the sort keys that a query reads. Empty for a whole partition. */
  readonly begins?: string;
}

/** The properties of a kind of row that do not depend on its content. */
export interface RowKind {
  readonly type: string;
  /**
   * Whether rows of this kind decide permissions. Only functions that name this kind in `access.writes` may write these
   * rows. IAM restricts access by partition key, so these rows are in separate partitions.
   */
  readonly guarded: boolean;
  /**
   * How rows of this kind are deleted. An object describes how they are deleted together with the run that they belong
   * to (`model/runs/removal.ts`). `apart` means that they are deleted independently of a run, or never.
   */
  readonly removal: 'apart' | object;
  /**
   * What whoever adds a row of this kind gives away: access for a person or a program, a link that works without
   * signing in, or results to an address that they choose. Forms that write such rows need a recent sign-in
   * (`shared/platform/page.ts`).
   */
  readonly gives?: 'access' | 'link' | 'results';
  readonly patterns: readonly AccessPattern[];
}

export interface Entity<Key, Item extends Key> extends RowKind {
  readonly patterns: readonly AccessPattern<Key>[];
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

export const toKeyCondition = ({ pk, from, to }: Span) => ({
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
});

/** U+10FFFF sorts after every character that a key can contain. */
export const getPrefixSpan = (pk: string, start: string): Span => ({ pk, from: start, to: `${start}\u{10ffff}` });

/** Starts at U+0001: DynamoDB refuses empty strings in key conditions. Keys contain no control characters. */
export const getPartitionSpan = (pk: string): Span => ({ pk, from: '\u0001', to: '\u{10ffff}' });
