/**
 * Ends a run as COMPLETE when every expected test has finished. Later results change the counters of the run, but never
 * reopen it.
 */

import { optimistically } from '#shared/engine/table/optimistic.ts';
import { watchInstance } from '#shared/ingest/watch-instance.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { type Instance, isComplete } from '#shared/model/tests/instance.ts';
import type { Services } from '#shared/services.ts';
import { endRun } from './end-run.ts';
import { judgeRun } from './judge-run.ts';
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
  if (!isUnderWay(run) || (await finishRun(services, run)) === 'ended before') await judgeRun(services, run);
}

/**
 * Ends the run, or makes sure that an open instance has the `watched` mark. `finished` means that this call ended the
 * run.
 */
export async function finishRun(services: Services, key: RunKey): Promise<'finished' | 'open' | 'ended before'> {
  let result: 'finished' | 'open' | 'ended before' = 'open';
  await optimistically('watched spec file of a run', async () => {
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
