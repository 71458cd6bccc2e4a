/** Reads the groups of ended runs, oldest first. */
import { collectEntries, retryUntilComplete } from './collect.ts';
import { hasMatchingTags, isMatchingEntry } from './filter.ts';
import type { Reader, RunGroupFacts } from './read-model.ts';

export const readRunGroups: Reader<RunGroupFacts> = async (services, scope, period, filter) => {
  const entries = await retryUntilComplete(() => collectEntries(services, { scope, period, filter }));
  const matchingEntries = entries.filter(
    (entry) => isMatchingEntry(filter, entry) && hasMatchingTags(filter, entry.tags),
  );
  matchingEntries.sort(
    (one, other) => one.createdAt - other.createdAt || (one.runId + one.groupId < other.runId + other.groupId ? -1 : 1),
  );
  // The storage location of the facts is internal to the read model.
  return matchingEntries.map(({ digest, sizes, endsAt, ...facts }) => facts);
};
