/**
 * Ends a run as COMPLETE when every expected test has finished. Marks of the run and of its instances:
 * - `held`: an import or a machine keeps the run open, although nothing is expected just now.
 * - `released`: the run was held, and may now end without expected tests.
 * - `lingers`: a machine that never says that it has ended reopened the run, so the time-out releases it after a silence.
 * - `watched`, of one open instance: the request that completes this instance checks whether the run can end.
 */

import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { watchInstance } from '#shared/ingest/watch-instance.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { type Instance, isComplete } from '#shared/model/results/instance.ts';
import { getRecordingMachinesSpan, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { hasUnannouncedChanges } from './announced.ts';
import { endRun } from './end-run.ts';
import { findRun } from './find-run.ts';
import { updateVerdict } from './judge-run.ts';
import { reopenIfPossible } from './reopen-run.ts';
import { isFullyReported } from './states.ts';

/**
 * Call this after the results of a complete instance have changed, with a run that was read after that. `mayEnd`:
 * whether the instance has the `watched` mark, or an interrupted request may have completed it.
 */
export async function endRunOrCountLate(services: Services, run: Run, { mayEnd }: { mayEnd: boolean }): Promise<void> {
  // A held run ends only when it is released, so results that arrive before that need not read all instances.
  if (isUnderWay(run) && (!mayEnd || run.held)) return;
  // Another call may have ended the run based on instances that it read before this result was stored.
  if (!isUnderWay(run) || (await endRunIfComplete(services, run)) === 'ended before')
    await countLateResults(services, run);
}

/**
 * §3 A timed-out run becomes complete with its last expected test. `announce`: receivers of a complete run learn of it.
 */
export async function countLateResults(services: Services, key: RunKey, { announce = false } = {}): Promise<void> {
  const hasBecomeComplete = await updateVerdict(services, key);
  if (!hasBecomeComplete && !announce) return;
  if (!hasBecomeComplete) return announceLateChanges(services, await findRun(services, key));
  await reopenAndRelease(services, key);
}

async function reopenAndRelease(services: Services, key: RunKey): Promise<void> {
  const run = await reopenIfPossible(services, key, { lingers: true });
  // If this call is killed here, the run ends after it has been silent.
  if (run) await releaseRun(services, run);
}

/** §6 Ends the run again if late results changed its verdict or counters, so that receivers of events learn of it. */
async function announceLateChanges(services: Services, run: Run): Promise<void> {
  const { completionState, status, groups: summary, announced } = run;
  const isNews = summary
    ? hasUnannouncedChanges(run, { status, summary })
    : announced !== undefined && announced.status !== status;
  if (completionState === 'COMPLETE' && isNews) await reopenAndRelease(services, run);
}

/** Ends the run if every expected test has finished. If it has already ended, the new results count as late. */
export async function releaseRun(services: Services, key: RunKey): Promise<void> {
  const changes = { remove: ['held', 'lingers'], set: [['released', true]] as const };
  const { item: run } = await services.table.update(runs, key, changes, { present: 'held' });
  if (run) await endRunOrCountLate(services, run, { mayEnd: true });
}

/**
 * Call this after results that no message of a machine follows, such as those of an import. Ends the run if nothing is
 * missing and no machine records it. If it has ended, receivers of its end learn of later results.
 */
export async function settleRun(services: Services, key: Run): Promise<void> {
  const run = await services.table.get(runs, key, { consistent: true });
  if (!run) return;
  if (isUnderWay(run) && run.held) await releaseUnlessRecorded(services, run);
  else if (isUnderWay(run)) await endRunOrCountLate(services, run, { mayEnd: true });
  else if (run.held) await releaseRun(services, run);
  else await announceLateChanges(services, run);
}

async function releaseUnlessRecorded(services: Services, run: Run): Promise<void> {
  const machines = await services.table.queryAll(recordingMachines, getRecordingMachinesSpan(run), {
    consistent: true,
  });
  // A machine has a row per process, and says in one of them that it has ended.
  const endedMachineIds = new Set(
    machines.filter(({ endedAt }) => endedAt !== undefined).map(({ machineId }) => machineId),
  );
  if (machines.every(({ machineId }) => endedMachineIds.has(machineId))) await releaseRun(services, run);
}

/** Ends the run, or marks an open instance as `watched`. `finished`: this call ended the run. */
export async function endRunIfComplete(services: Services, key: RunKey): Promise<'finished' | 'open' | 'ended before'> {
  return retryOptimistically('watched spec file of a run', async () => {
    let openInstances: readonly Instance[] | undefined;
    const endedRun = await endRun(services, key, {
      ending: 'finish',
      when: (run, all) => {
        openInstances = isFullyReported(run, all) ? undefined : all.filter((instance) => !isComplete(instance));
        return openInstances ? undefined : requireUnchanged(run);
      },
    });
    if (endedRun) return 'finished';
    if (!openInstances) return 'ended before';
    return (await ensureWatchedInstance(services, openInstances)) ? 'open' : AGAIN;
  });
}

/** No suite was added and no spec file was reset since the run was read, and no import or machine holds the run. */
const requireUnchanged = ({ instancesExpected, resets }: Run) => ({
  all: [
    { absent: 'held' },
    { path: 'instancesExpected', equals: instancesExpected },
    { path: 'resets', equals: resets },
  ],
});

/** Returns false if the chosen instance was completed in the meantime. */
async function ensureWatchedInstance(services: Services, openInstances: readonly Instance[]): Promise<boolean> {
  const instance = openInstances[Math.floor(Math.random() * openInstances.length)];
  if (instance === undefined || openInstances.some(({ watched }) => watched)) return true;
  return watchInstance(services, instance);
}
