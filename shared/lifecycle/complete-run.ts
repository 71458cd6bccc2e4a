/**
 * Ends a run as COMPLETE when every expected test has finished. Later results of machines that joined before change the
 * counters of the run.
 */

import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { watchInstance } from '#shared/ingest/watch-instance.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { getRecordingMachinesSpan, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { type Instance, isComplete } from '#shared/model/tests/instance.ts';
import type { Services } from '#shared/services.ts';
import { differsFromAnnounced } from './announced.ts';
import { endRun } from './end-run.ts';
import { findRun } from './find-run.ts';
import { judgeRun } from './judge-run.ts';
import { reopenIfPossible } from './reopen-run.ts';
import { isReported } from './states.ts';

/**
 * Ends the run if every expected test has finished. Call this after the results of a complete instance have changed,
 * with a run that was read after that change. `mayEnd`: whether the instance has the `watched` mark, or an interrupted
 * request may have completed it without updating the run.
 */
export async function completeRun(services: Services, run: Run, { mayEnd }: { mayEnd: boolean }): Promise<void> {
  // A held run ends only when it is released, so results that arrive before that need not read all instances.
  if (isUnderWay(run) && (!mayEnd || run.held)) return;
  // Another call may have ended the run based on instances that it read before this result was stored.
  if (!isUnderWay(run) || (await finishRun(services, run)) === 'ended before') await countLate(services, run);
}

/**
 * §3 Counts results that arrived after the end of the run. A run that timed out becomes complete with the last of its
 * expected tests. `announce`: whether receivers of the end of a complete run learn of the change.
 */
export async function countLate(services: Services, key: RunKey, { announce = false } = {}): Promise<void> {
  const mayComplete = await judgeRun(services, key);
  if (!mayComplete && !announce) return;
  if (!mayComplete) return announceLate(services, await findRun(services, key));
  await endAgain(services, key);
}

async function endAgain(services: Services, key: RunKey): Promise<void> {
  const run = await reopenIfPossible(services, key, { lingers: true });
  // If this call is killed here, the run ends after it has been silent.
  if (run) await releaseRun(services, run);
}

/**
 * §6 Ends the run once more if results that came after its end have changed its verdict or its counters, so that
 * receivers of events learn of them.
 */
async function announceLate(services: Services, run: Run): Promise<void> {
  const { completionState, status, groups: summary, announced } = run;
  const isNews = summary
    ? differsFromAnnounced(run, { status, summary })
    : announced !== undefined && announced.status !== status;
  if (completionState === 'COMPLETE' && isNews) await endAgain(services, run);
}

/**
 * Stops keeping the run open, and ends the run if every expected test has finished. If the run has already ended, the
 * new results count as late.
 */
export async function releaseRun(services: Services, key: RunKey): Promise<void> {
  const changes = { remove: ['held', 'lingers'], set: [['released', true]] as const };
  const { item: run } = await services.table.update(runs, key, changes, { present: 'held' });
  if (run) await completeRun(services, run, { mayEnd: true });
}

/**
 * Stops keeping the run open after an import or an upload is recorded, unless machines still record the run. If the run
 * ended in the meantime, the receivers of its end learn of the results that came later.
 */
export async function settleImport(services: Services, known: Run): Promise<void> {
  const run = await services.table.get(runs, known, { consistent: true });
  if (!run) return;
  if (isUnderWay(run) && run.held) await releaseUnlessRecorded(services, run);
  else if (isUnderWay(run)) await completeRun(services, run, { mayEnd: true });
  else if (run.held) await releaseRun(services, run);
  else await announceLate(services, run);
}

async function releaseUnlessRecorded(services: Services, run: Run): Promise<void> {
  const machines = await services.table.queryAll(recordingMachines, getRecordingMachinesSpan(run), {
    consistent: true,
  });
  const ended = new Set(machines.filter(({ endedAt }) => endedAt !== undefined).map(({ machineId }) => machineId));
  if (machines.every(({ machineId }) => ended.has(machineId))) await releaseRun(services, run);
}

/**
 * Ends the run, or makes sure that an open instance has the `watched` mark. `finished` means that this call ended the
 * run.
 */
export async function finishRun(services: Services, key: RunKey): Promise<'finished' | 'open' | 'ended before'> {
  let result: 'finished' | 'open' | 'ended before' = 'open';
  await retryOptimistically('watched spec file of a run', async () => {
    let open: readonly Instance[] | undefined;
    const ended = await endRun(services, key, {
      ending: 'finish',
      when: (run, all) => {
        open = isReported(run, all) ? undefined : all.filter((instance) => !isComplete(instance));
        return open ? undefined : unchanged(run);
      },
    });
    result = ended ? 'finished' : open ? 'open' : 'ended before';
    return open === undefined || keepWatch(services, open);
  });
  return result;
}

/**
 * The condition that no suite was added and no spec file was reset since the run was read, and that no import or
 * machine keeps the run open.
 */
const unchanged = ({ instancesExpected, resets }: Run) => ({
  all: [
    { absent: 'held' },
    { path: 'instancesExpected', equals: instancesExpected },
    { path: 'resets', equals: resets },
  ],
});

/**
 * Makes sure that one open instance has the `watched` mark. Returns false if the chosen instance was completed in the
 * meantime.
 */
async function keepWatch(services: Services, open: readonly Instance[]): Promise<boolean> {
  const chosen = open[Math.floor(Math.random() * open.length)];
  if (chosen === undefined || open.some(({ watched }) => watched)) return true;
  return watchInstance(services, chosen);
}
