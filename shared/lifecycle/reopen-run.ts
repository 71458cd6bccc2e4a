/**
 * §3, §6 Reopens a run that has ended, because a machine, a job or a file of its build came late. The run then ends
 * once more, with events of its own. Until then it is no base of comparisons.
 */
import { refuse } from '#shared/engine/errors.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { expectValue, toAssignments } from '#shared/engine/table/update.ts';
import { put, remove, update, type Write } from '#shared/engine/table/writes.ts';
import { dueRuns } from '#shared/model/due.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { hasFailed, instances } from '#shared/model/results/instance.ts';
import { completeRuns } from '#shared/model/runs/complete-run.ts';
import { getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { unmarkStopped } from '#shared/model/runs/stopped-run.ts';
import type { Services } from '#shared/services.ts';
import { getAnnouncement } from './announced.ts';
import { runExpired } from './errors.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { canAcceptResults, refuseTooLate } from './refuse-ended.ts';
import { requireTransition, TRANSITIONS } from './states.ts';

interface ReopenOptions {
  /** Whether the run ends after it has been silent, because nobody will release it. */
  readonly lingers?: boolean | undefined;
}

/** Keeps the run open until it is released. A run in progress is only returned. Throws 422 if it cannot be reopened. */
export async function reopenRun(services: Services, key: RunKey, options: ReopenOptions = {}): Promise<Run> {
  const reopenedRun = await reopenIfPossible(services, key, options);
  if (reopenedRun) return reopenedRun;
  const run = await services.table.get(runs, key, { consistent: true });
  if (run) refuseTooLate(run, services.now());
  return refuse(runExpired());
}

/** Returns `undefined` if the run was cancelled or ended too long ago. */
export async function reopenIfPossible(
  services: Services,
  key: RunKey,
  { lingers = false }: ReopenOptions = {},
): Promise<Run | undefined> {
  const { table, now } = services;
  return retryOptimistically('reopened run', async () => {
    const run = await table.get(runs, key, { consistent: true });
    if (!run || !canAcceptResults(run, now())) return undefined;
    if (isUnderWay(run)) return run;
    const { organizationId, runId, endedAt, listed, ends = 0, version } = run;
    const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
    const [runningState, failingState] = TRANSITIONS.reopen.to;
    const pause = lingers ? LIFECYCLE_LIMITS.lingerMilliseconds : run.inactivityTimeoutSeconds * 1000;
    const state = all.some(hasFailed) ? failingState : runningState;
    const changes = {
      ...state,
      held: true,
      ends: ends + 1,
      version: version + 1,
      dueAt: now() + pause,
      announced: getAnnouncement(run),
      lingers: lingers || run.lingers,
    } as const;
    const set = toAssignments(changes);
    const removedAttributes = ['endedAt', 'listed', 'groups', 'repeated'] as const;
    const conditions = [{ path: 'version', equals: version }, expectValue('endedAt', endedAt)];
    const reopenedRun = { ...run, ...changes, endedAt: undefined, listed: undefined, groups: undefined };
    const writes: Write[] = [
      update(runs, run, { set, remove: removedAttributes }, { all: [requireTransition('reopen'), ...conditions] }),
      ...updateRunOfCommit({ ...run, ...state }),
      put(dueRuns, { organizationId, runId, dueAt: changes.dueAt }),
    ];
    if (listed) writes.push(remove(completeRuns, { ...run, ...listed }));
    if (run.completionState === 'TIMEOUT') writes.push(...unmarkStopped(run));
    if (run.dueAt !== changes.dueAt) writes.push(remove(dueRuns, run));
    return (await table.transact(writes)) ? reopenedRun : AGAIN;
  });
}
