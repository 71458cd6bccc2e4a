/** Reads the groups of ended runs, oldest first. */
import { collectEntries, untilComplete } from './collect.ts';
import { matchesEntry, matchesTags } from './filter.ts';
import type { Reader, RunGroupFacts } from './read-model.ts';

export const readRunGroups: Reader<RunGroupFacts> = async (services, scope, period, filter) => {
  const entries = await untilComplete(() => collectEntries(services, { scope, period, filter }));
  const wanted = entries.filter((entry) => matchesEntry(filter, entry) && matchesTags(filter, entry.tags));
  wanted.sort(
    (one, other) => one.createdAt - other.createdAt || (one.runId + one.groupId < other.runId + other.groupId ? -1 : 1),
  );
  // The storage location of the facts is internal to the read model.
  return wanted.map(({ digest, sizes, endsAt, ...facts }) => facts);
};
