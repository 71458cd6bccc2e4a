/** §3 Late results, of machines that joined before the end of the run, may change its status and counters. */

import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { markCorrected } from '#shared/model/analytics/pending.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { instances } from '#shared/model/results/instance.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { keepIfStorable, summarizeGroups } from '#shared/results/runs/group-summary.ts';
import type { Services } from '#shared/services.ts';
import { getAnnouncement, hasUnannouncedChanges } from './announced.ts';
import { findRepeatedTests } from './repeated-tests.ts';
import { deriveVerdict, isFullyReported, requireTransition } from './states.ts';

/**
 * Call this after late results are stored. Ignores a run in progress. Returns whether a timed-out run is now complete.
 */
export async function updateVerdict(services: Services, key: RunKey): Promise<boolean> {
  const { table, now } = services;
  // The version is incremented before the instances are read, and the summary is stored only if the version has not
  // changed since. So a stored summary includes at least the results of all summaries that were stored before it.
  const outcome = await table.update(runs, key, { add: [['version', 1]] }, requireTransition('judge'));
  if (!outcome.done || outcome.item.completionState === 'IN_PROGRESS') return false;
  const run = outcome.item;
  const [members, all] = await Promise.all([
    table.queryAll(groups, getRunMembersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  // While tests of a cancelled or timed-out run may still report, readers compute the counters.
  const summary = isFullyReported(run, all) ? keepIfStorable(summarizeGroups(run, members, all, now())) : undefined;
  const { completionState } = outcome.item;
  const status = deriveVerdict(completionState, run, all);
  const repeatedTests = await findRepeatedTests(services, all);
  const set = toAssignments({ status, groups: summary, repeated: repeatedTests });
  const remove = summary || !run.groups ? [] : ['groups'];
  // If a machine reopens the run later, its next end announces what receivers do not know yet.
  const isNews = summary
    ? hasUnannouncedChanges(run, { status, summary })
    : run.groups !== undefined || run.status !== status;
  const setIfAbsent = isNews ? [['announced', getAnnouncement(run)] as const] : [];
  const isUnchanged = { all: [{ path: 'version', equals: run.version }, requireTransition('judge')] };
  const groupIds = members.map(({ groupId }) => groupId);
  const writes = [
    update(runs, run, { set, remove, setIfAbsent }, isUnchanged),
    ...updateRunOfCommit({ ...run, status }, { groupIds, instances: all }),
  ];
  await retryOptimistically('verdict of a run', async () => {
    if (await table.transact(writes)) return true;
    const latestRun = await table.get(runs, run, { consistent: true });
    // If the run is unchanged, the transaction met another one. Otherwise, whoever changed the run counts again.
    return latestRun?.version !== run.version || isUnderWay(latestRun) || AGAIN;
  });
  await table.writeMany(markCorrected(run, now()));
  return run.completionState === 'TIMEOUT' && isFullyReported(run, all);
}

/** Whether the run was cancelled or timed out, so that its tests may still report. */
export const isBrokenOff = (run: Run | undefined): boolean =>
  run?.completionState === 'CANCELED' || run?.completionState === 'TIMEOUT';
