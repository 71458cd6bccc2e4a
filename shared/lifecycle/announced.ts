/**
 * §6 What receivers know about a run that has ended. A run that was reopened announces its next end only for groups
 * whose counters differ, and for all groups if its verdict differs.
 */
import { isJsonWithin } from '#shared/engine/byte-budget.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { AnnouncedVerdict, GroupSummary, Run } from '#shared/model/runs/run.ts';
import type { Instance } from '#shared/model/tests/instance.ts';
import { type Counters, sumCounters } from '#shared/model/tests/outcomes.ts';

const textOf = ({ passes, failures, pending, skipped, flaky, retries }: Counters): string =>
  [passes, failures, pending, skipped, flaky, retries].join('.');

/** What the latest end of the run announced. */
export function announcedOf({ announced, status, groups }: Run): AnnouncedVerdict {
  if (announced) return announced;
  const counters = groups && Object.fromEntries(groups.map((group) => [group.groupId, textOf(group.tests)]));
  const isSmall = counters !== undefined && isJsonWithin(counters, MODEL_LIMITS.rowBytes.runSummary);
  return isSmall ? { status, groups: counters } : { status };
}

/** The groups that the next end of the run announces. Receivers of a run that ends for the first time know nothing. */
export function groupsToAnnounce(
  { announced }: Run,
  {
    status,
    members,
    instances,
  }: Pick<Run, 'status'> & {
    readonly members: readonly Group[];
    readonly instances: readonly Instance[];
  },
): readonly Group[] {
  if (announced?.groups === undefined || announced.status !== status) return members;
  return members.filter(({ groupId }) => {
    const own = instances.filter((instance) => instance.groupId === groupId);
    return announced.groups?.[groupId] !== textOf(sumCounters(own.map(({ counters }) => counters)));
  });
}

/** Whether late results have changed what the latest end announced. `now` is the latest status and summary of the run. */
export function differsFromAnnounced(
  run: Run,
  now: { readonly status: Run['status']; readonly summary: readonly GroupSummary[] },
): boolean {
  const { status, groups } = announcedOf(run);
  if (status !== now.status || groups === undefined) return true;
  return now.summary.some(({ groupId, tests }) => groups[groupId] !== textOf(tests));
}
