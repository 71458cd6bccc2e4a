/**
 * §3 Counts results that arrive after the end of a run, of machines that joined before. They may change the status and
 * the counters of the run.
 */

import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { update } from '#shared/engine/table/writes.ts';
import { markCorrected } from '#shared/model/analytics/pending.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { groups } from '#shared/model/runs/group.ts';
import { getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { instances } from '#shared/model/tests/instance.ts';
import { storable, summarize } from '#shared/results/group-summary.ts';
import type { Services } from '#shared/services.ts';
import { announcedOf, differsFromAnnounced } from './announced.ts';
import { findRepeatedTests } from './repeated-tests.ts';
import { isReported, mayPass, verdict } from './states.ts';

/**
 * Updates the status of an ended run. Call this after late results are stored. A run in progress is not changed. Returns
 * whether the run timed out, and all its expected tests have arrived since.
 */
export async function judgeRun(services: Services, key: RunKey): Promise<boolean> {
  const { table, now } = services;
  // The version is incremented before the instances are read, and the summary is stored only if the version has not
  // changed since. So a stored summary includes at least the results of all summaries that were stored before it.
  const counted = await table.update(runs, key, { add: [['version', 1]] }, mayPass('judge'));
  if (!counted.done || counted.item.completionState === 'IN_PROGRESS') return false;
  const run = counted.item;
  const [members, all] = await Promise.all([
    table.queryAll(groups, getRunMembersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  // A cancelled or timed-out run gets no stored summary while its tests may still report, so readers compute the
  // counters.
  const summary = isReported(run, all)
    ? storable(summarize(run, members, all, run.endedAt ?? run.createdAt))
    : undefined;
  const { completionState } = counted.item;
  const status = verdict(completionState, run, all);
  const repeated = await findRepeatedTests(services, all);
  const set = toAssignments({ status, groups: summary, repeated });
  const remove = summary || !run.groups ? [] : ['groups'];
  // If a machine reopens the run later, its next end announces what receivers do not know yet.
  const isNews = summary
    ? differsFromAnnounced(run, { status, summary })
    : run.groups !== undefined || run.status !== status;
  const setIfAbsent = isNews ? [['announced', announcedOf(run)] as const] : [];
  const unchanged = { all: [{ path: 'version', equals: run.version }, mayPass('judge')] };
  const groupIds = members.map(({ groupId }) => groupId);
  const writes = [
    update(runs, run, { set, remove, setIfAbsent }, unchanged),
    ...updateRunOfCommit({ ...run, status }, { groupIds, instances: all }),
  ];
  await retryOptimistically('verdict of a run', async () => {
    if (await table.transact(writes)) return true;
    const latest = await table.get(runs, run, { consistent: true });
    // If the run is unchanged, the transaction met another one. Otherwise, whoever changed the run counts again.
    return latest?.version !== run.version || isUnderWay(latest);
  });
  await table.writeMany(markCorrected(run, now()));
  return run.completionState === 'TIMEOUT' && isReported(run, all);
}

/**
 * Whether the run was cancelled or timed out, which means that its tests may still report. `undefined` stands for a run
 * that does not exist.
 */
export const isBrokenOff = (run: Run | undefined): boolean =>
  run?.completionState === 'CANCELED' || run?.completionState === 'TIMEOUT';
