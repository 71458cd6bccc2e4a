/** The facts (aggregates) of the groups of ended runs, and the list entries of these groups. */
import { pack, unpack } from '#shared/engine/table/packed.ts';
import type { FactsKind } from '#shared/model/analytics/facts.ts';
import type { SummarySize } from '#shared/model/analytics/root.ts';
import type { RunGroupFacts } from './read-model.ts';
import type { StoredSums } from './sums.ts';

/** A group of an ended run, and what is needed to find its facts. */
export interface PendingEntry extends RunGroupFacts {
  readonly digest: string;
  /** For each kind of facts (aggregates), the number of rows and the compressed size in bytes. */
  readonly sizes: Readonly<Record<FactsKind, SummarySize>>;
  /** Expiry of the facts in epoch seconds. Absent if they never expire. */
  readonly endsAt?: number | undefined;
}

export const packEntries = (entries: readonly PendingEntry[]): Uint8Array => pack(entries);
export const unpackEntries = (bytes: Uint8Array): readonly PendingEntry[] => unpack<PendingEntry[]>(bytes);

export type StoredError = readonly [
  message: string,
  target: string | null,
  action: string | null,
  category: string | null,
];

/** `placeOf` returns the index of an error in `errors`, and adds the error if it is new. */
export function makeErrorCollector() {
  const errors: StoredError[] = [];
  const places = new Map<string, number>();
  const placeOf = (error: StoredError): number => {
    const key = JSON.stringify(error);
    const place = places.get(key) ?? errors.push(error) - 1;
    places.set(key, place);
    return place;
  };
  return { errors, placeOf };
}

/** Failed and flaky executions with an error, stored as parallel arrays. */
export interface Events {
  /** The distinct errors. */
  readonly errors: readonly StoredError[];
  /** For each execution, the index of its error in `errors`. */
  readonly error: readonly number[];
  /** For each execution, the number that stands for its series. */
  readonly series: readonly number[];
}

/** All aggregates of a run group except the totals of tests. */
export interface RestOfFacts {
  readonly specs: StoredSums;
  readonly events: Events;
}
