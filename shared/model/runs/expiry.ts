/** When the data of a run expires, by the retention of its project. Copied into the rows of the data. */
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { DAY_MILLISECONDS } from '#shared/engine/time.ts';
import type { Retention } from './retention.ts';

/** In epoch seconds. `undefined` means never. Neither evidence nor files are kept longer than the results. */
export interface Expiry {
  readonly results: number | undefined;
  readonly evidence: number | undefined;
  readonly files: number | undefined;
}

/** A row that the table's TTL may delete, because no other rows or files are found through it. */
export interface Expiring {
  /** TTL in epoch seconds. `undefined` means never. */
  readonly expiresAt: number | undefined;
}

export const NEVER: Expiry = { results: undefined, evidence: undefined, files: undefined };

/** `createdAt` is in epoch milliseconds. */
export function computeExpiry({ resultsDays, evidenceDays, filesDays }: Retention, createdAt: number): Expiry {
  const endOf = (days: number | null) =>
    days === null ? undefined : Math.ceil((createdAt + days * DAY_MILLISECONDS) / 1000);
  return { results: endOf(resultsDays), evidence: endOf(evidenceDays), files: endOf(filesDays) };
}

/** `now` is in epoch milliseconds. */
export const haveEnded = (end: number | undefined, now: number): boolean => end !== undefined && end * 1000 <= now;

/** The condition fails if the run does not exist, or if its files already expire at or before `seconds`. */
export const expireFiles = (seconds: number): { readonly changes: Changes; readonly when: Condition } => ({
  changes: { set: [['filesEndAt', seconds]] },
  when: { all: [PRESENT, { not: { path: 'filesEndAt', atMost: seconds } }] },
});

/** Equal expiries are stored only once to save space, because every test has a copy of all three. */
interface StoredExpiry {
  readonly expiresAt?: number | undefined;
  readonly evidenceEndsAt?: number | undefined;
  readonly filesEndAt?: number | undefined;
}

export const storeExpiry = ({ results, evidence, files }: Expiry): StoredExpiry => ({
  expiresAt: results,
  evidenceEndsAt: evidence === results ? undefined : evidence,
  filesEndAt: files === results ? undefined : files,
});

export const loadExpiry = ({ expiresAt, evidenceEndsAt, filesEndAt }: StoredExpiry): Expiry => ({
  results: expiresAt,
  evidence: evidenceEndsAt ?? expiresAt,
  files: filesEndAt ?? expiresAt,
});
