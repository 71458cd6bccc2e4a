/** Reads the groups of ended runs, oldest first. */
import { collectEntries, untilComplete } from './collect.ts';
import type { PendingEntry } from './entry.ts';
import { matchesEntry, matchesTags } from './filter.ts';
import type { Reader, RunGroupFacts } from './read-model.ts';

export const readRunGroups: Reader<RunGroupFacts> = async (services, scope, period, filter) => {
  const entries = await untilComplete(() => collectEntries(services, { scope, period, filter }));
  const wanted = entries.filter((entry) => matchesEntry(filter, entry) && matchesTags(filter, entry.tags));
  return wanted.sort(byCreation).map(withoutPlace);
};

const byCreation = (one: PendingEntry, other: PendingEntry): number =>
  one.createdAt - other.createdAt || (one.runId + one.groupId < other.runId + other.groupId ? -1 : 1);

/** Removes the storage location of the facts, which is internal to the read model. */
const withoutPlace = ({ digest, sizes, endsAt, ...facts }: PendingEntry): RunGroupFacts => facts;
