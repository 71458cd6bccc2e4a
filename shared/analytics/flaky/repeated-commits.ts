/** Finds runs that repeated a commit with different results, among all groups of ended runs. */
import type { Entry } from '../entry.ts';
import { FLAKY_LIMITS } from './limits.ts';

export interface RepeatedCommits {
  /** Groups of runs to compare with each other. */
  readonly commits: readonly (readonly Entry[])[];
  /** Whether no limit left a commit out. */
  readonly isWhole: boolean;
}

/** The newest commits first. A commit without a failure, or without a pass, has no flip. */
export function repeatedCommits(entries: readonly Entry[]): RepeatedCommits {
  const known = entries.filter(({ sha }) => sha !== null);
  const byCommit = Map.groupBy(known, ({ sha, groupId, environment }) => JSON.stringify([sha, groupId, environment]));
  const candidates = [...byCommit.values()].filter(
    (own) =>
      own.length > 1 &&
      own.some(({ counters }) => counters.failures > 0) &&
      own.some(({ counters }) => counters.passes > 0),
  );
  const newest = candidates.sort((one, other) => newestOf(other) - newestOf(one));
  const commits: Entry[][] = [];
  let room: number = FLAKY_LIMITS.comparedGroups;
  for (const own of newest) {
    if (own.length > room) break;
    commits.push(own);
    room -= own.length;
  }
  return { commits, isWhole: commits.length === newest.length };
}

const newestOf = (entries: readonly Entry[]): number => Math.max(...entries.map(({ createdAt }) => createdAt));
