/** Facts of the groups of ended runs, and the entries by which the read model lists them. */
import { pack, unpack } from '#shared/engine/table/packed.ts';
import type { RunGroupFacts } from './read-model.ts';
import type { StoredSums } from './sums.ts';

/** Also says where the facts are. */
export interface PendingEntry extends RunGroupFacts {
  readonly digest: string;
  /** Parts of the totals of tests, and of the rest. */
  readonly parts: readonly [tests: number, rest: number];
  /** Packed bytes of both. */
  readonly bytes: readonly [tests: number, rest: number];
  /** The end of the facts in seconds. Absent if they never end. */
  readonly endsAt?: number;
}

export const packEntries = (entries: readonly PendingEntry[]): Uint8Array => pack(entries);
export const unpackEntries = (packed: Uint8Array): readonly PendingEntry[] => unpack<PendingEntry[]>(packed);

export type StoredError = readonly [
  message: string,
  target: string | null,
  action: string | null,
  category: string | null,
];

/** Failed and flaky executions with an error. The columns are parallel. */
export interface Events {
  /** The distinct errors. */
  readonly errors: readonly StoredError[];
  /** Each execution's place in `errors`. */
  readonly error: readonly number[];
  /** Each execution's series. */
  readonly series: readonly number[];
}

/** Facts besides the totals of tests. */
export interface RestOfFacts {
  readonly specs: StoredSums;
  readonly events: Events;
}
