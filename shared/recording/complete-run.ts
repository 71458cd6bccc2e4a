/** A run is COMPLETE when every expected test has a final result; what comes later moves its counters, never its state. */
import { isFailure } from '../outcomes.ts';
import { groups } from '../resources/group.ts';
import { instances, reportedTests } from '../resources/instance.ts';
import { membersSpan, type Run, runs } from '../resources/run.ts';
import { summarize } from '../results/group-summary.ts';
import type { Services } from '../services.ts';

export async function completeRun(
  services: Services,
  { organizationId, runId }: Pick<Run, 'organizationId' | 'runId'>,
): Promise<void> {
  const { table, now } = services;
  const run = await table.get(runs, { organizationId, runId }, { consistent: true });
  if (!run || (run.completionState === 'IN_PROGRESS' && run.instancesComplete < run.instancesExpected)) return;
  // The number is taken before the instances are read: a summary with a higher one has seen at least as much.
  const counted = await table.update(runs, run, { add: [['version', 1]] });
  if (!counted.done) return;
  const { version } = counted.item;
  const [members, all] = await Promise.all([
    table.queryAll(groups, membersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  const failed = all.some((instance) => reportedTests(instance).some(({ outcome }) => isFailure(outcome)));
  const endedAt = run.endedAt ?? now();
  const summary = summarize({ ...run, endedAt }, members, all, endedAt);
  // A cancelled or timed-out run keeps the status it had (§3); only its counters still move.
  const ended = [
    ['status', failed ? 'FAILED' : 'PASSED'],
    ['completionState', 'COMPLETE'],
    ['endedAt', endedAt],
  ] as const;
  const stays = run.completionState === 'CANCELED' || run.completionState === 'TIMEOUT';
  const set = [['groups', summary] as const, ...(stays ? [] : ended)];
  await table.update(runs, run, { set }, { path: 'version', equals: version });
}
