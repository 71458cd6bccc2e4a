/** §6 A run that ends again announces only groups whose counters differ, or all groups if its verdict differs. */
import { isJsonWithin } from '#shared/engine/byte-budget.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import { type Counters, sumCounters } from '#shared/model/results/outcomes.ts';
import type { Group } from '#shared/model/runs/group.ts';
import type { AnnouncedVerdict, GroupSummary, Run } from '#shared/model/runs/run.ts';

const formatCounters = ({ passes, failures, pending, skipped, flaky, retries }: Counters): string =>
  [passes, failures, pending, skipped, flaky, retries].join('.');

export function getAnnouncement({ announced, status, groups }: Run): AnnouncedVerdict {
  if (announced) return announced;
  const counters = groups && Object.fromEntries(groups.map((group) => [group.groupId, formatCounters(group.tests)]));
  const isSmall = counters !== undefined && isJsonWithin(counters, MODEL_LIMITS.rowBytes.runSummary);
  return isSmall ? { status, groups: counters } : { status };
}

interface RunEndState extends Pick<Run, 'status'> {
  readonly members: readonly Group[];
  readonly instances: readonly Instance[];
}

/** The groups that the next end of the run announces. Receivers of a run that ends for the first time know nothing. */
export function pickGroupsToAnnounce(
  { announced }: Run,
  { status, members, instances }: RunEndState,
): readonly Group[] {
  if (announced?.groups === undefined || announced.status !== status) return members;
  return members.filter(({ groupId }) => {
    const groupInstances = instances.filter((instance) => instance.groupId === groupId);
    const counters = sumCounters(groupInstances.map((instance) => instance.counters));
    return announced.groups?.[groupId] !== formatCounters(counters);
  });
}

/** `outcome` is the latest status and summary of the run. */
export function hasUnannouncedChanges(
  run: Run,
  outcome: { readonly status: Run['status']; readonly summary: readonly GroupSummary[] },
): boolean {
  const { status, groups } = getAnnouncement(run);
  if (status !== outcome.status || groups === undefined) return true;
  return outcome.summary.some(({ groupId, tests }) => groups[groupId] !== formatCounters(tests));
}
