/**
 * §3, §6 Reopens a run that has ended, because a machine, a job or a file of its build came late. The run then ends
 * once more, with events of its own. Until then it is no base of comparisons.
 */
import { refuse } from '#shared/engine/errors.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { expectValue } from '#shared/engine/table/update.ts';
import { put, remove, update } from '#shared/engine/table/writes.ts';
import { dueRuns } from '#shared/model/due.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { completeRuns } from '#shared/model/runs/complete-run.ts';
import { getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { updateRunOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { hasFailed, instances } from '#shared/model/tests/instance.ts';
import type { Services } from '#shared/services.ts';
import { announcedOf } from './announced.ts';
import { runExpired } from './errors.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';
import { canBeReopened, refuseTooLate } from './refuse-ended.ts';
import { mayPass, TRANSITIONS } from './states.ts';

interface Opening {
  /** Whether the run ends after it has been silent, because nobody will release it. */
  readonly lingers?: boolean | undefined;
}

/**
 * Reopens the run and keeps it open until it is released. A run in progress is only returned. Throws 422 if the run was
 * cancelled or ended too long ago.
 */
export async function reopenRun(services: Services, key: RunKey, opening: Opening = {}): Promise<Run> {
  const reopened = await reopenIfPossible(services, key, opening);
  if (reopened) return reopened;
  const run = await services.table.get(runs, key, { consistent: true });
  if (run) refuseTooLate(run, services.now());
  return refuse(runExpired());
}

/** Reopens the run as `reopenRun` does. Returns `undefined` if the run was cancelled or ended too long ago. */
export async function reopenIfPossible(
  services: Services,
  key: RunKey,
  { lingers = false }: Opening = {},
): Promise<Run | undefined> {
  const { table, now } = services;
  let reopened: Run | undefined;
  await retryOptimistically('reopened run', async () => {
    const run = await table.get(runs, key, { consistent: true });
    reopened = run && canBeReopened(run, now()) ? run : undefined;
    if (!run || !reopened || isUnderWay(run)) return true;
    const { organizationId, runId, endedAt, listed, ends = 0, version } = run;
    const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
    const [running, failing] = TRANSITIONS.reopen.to;
    const pause = lingers ? LIFECYCLE_LIMITS.lingerMilliseconds : run.inactivityTimeoutSeconds * 1000;
    const state = all.some(hasFailed) ? failing : running;
    const changed = {
      ...state,
      held: true,
      ends: ends + 1,
      version: version + 1,
      dueAt: now() + pause,
      announced: announcedOf(run),
      ...(lingers && { lingers }),
    } as const;
    const set = Object.entries(changed);
    const gone = ['endedAt', 'listed', 'groups', 'repeated'] as const;
    const unchanged = [{ path: 'version', equals: version }, expectValue('endedAt', endedAt)];
    reopened = { ...run, ...changed, endedAt: undefined, listed: undefined, groups: undefined };
    return table.transact([
      update(runs, run, { set, remove: gone }, { all: [mayPass('reopen'), ...unchanged] }),
      ...(listed ? [remove(completeRuns, { ...run, ...listed })] : []),
      ...updateRunOfCommit({ ...run, ...state }),
      put(dueRuns, { organizationId, runId, dueAt: changed.dueAt }),
      ...(run.dueAt === changed.dueAt ? [] : [remove(dueRuns, run)]),
    ]);
  });
  return reopened;
}
