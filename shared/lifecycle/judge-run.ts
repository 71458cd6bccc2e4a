/**
 * §3 Counts results that arrive after the end of a run. They may change the status and the counters of the run, but
 * never reopen it.
 */

import { markCorrected } from '#shared/model/analytics/pending.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { groups } from '#shared/model/runs/group.ts';
import { type Run, runMembersSpan, runs } from '#shared/model/runs/run.ts';
import { instances } from '#shared/model/tests/instance.ts';
import { storable, summarize } from '#shared/results/group-summary.ts';
import type { Services } from '#shared/services.ts';
import { isReported, mayPass, verdict } from './states.ts';

/** Updates the status of an ended run. Call this after late results are stored. A run in progress is not changed. */
export async function judgeRun({ table, now }: Services, key: RunKey): Promise<void> {
  // The version is incremented before the instances are read, and the summary is stored only if the version has not
  // changed since. So a stored summary includes at least the results of all summaries that were stored before it.
  const counted = await table.update(runs, key, { add: [['version', 1]] }, mayPass('judge'));
  if (!counted.done || counted.item.completionState === 'IN_PROGRESS') return;
  const run = counted.item;
  const [members, all] = await Promise.all([
    table.queryAll(groups, runMembersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, runMembersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  // A cancelled or timed-out run gets no stored summary while its tests may still report, so readers compute the
  // counters.
  const summary = isReported(run, all)
    ? storable(summarize(run, members, all, run.endedAt ?? run.createdAt))
    : undefined;
  const set = [
    ['status', verdict(counted.item.completionState, run, all)] as const,
    ...(summary ? [['groups', summary] as const] : []),
  ];
  const remove = summary || !run.groups ? [] : ['groups'];
  await table.update(runs, run, { set, remove }, { all: [{ path: 'version', equals: run.version }, mayPass('judge')] });
  await table.writeMany(markCorrected(run, now()));
}

/**
 * Whether the run was cancelled or timed out, which means that its tests may still report. `undefined` stands for a run
 * that does not exist.
 */
export const isBrokenOff = (run: Run | undefined): boolean =>
  run?.completionState === 'CANCELED' || run?.completionState === 'TIMEOUT';
