/** Ends a run as COMPLETE when every expected test is final. Later results change its counters, but never reopen it. */

import { type Run, runs } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import { endRun } from './end-run.ts';
import { judgeRun } from './judge-run.ts';
import { isReported, isUnderWay } from './states.ts';

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

export async function completeRun(services: Services, key: RunKey): Promise<void> {
  const run = await services.table.get(runs, key, { consistent: true });
  if (!run || (isUnderWay(run) && !isReported(run))) return;
  // Another call may have ended the run with instances that it read before this result.
  if (!(await finishRun(services, run))) await judgeRun(services, run);
}

/** Returns true if this call ended the run. */
export async function finishRun(services: Services, key: RunKey): Promise<boolean> {
  const ended = await endRun(services, key, {
    ending: 'finish',
    when: (run) => {
      if (!isReported(run)) return undefined;
      const { instancesExpected, instancesComplete } = run;
      return {
        all: [
          { path: 'instancesExpected', equals: instancesExpected },
          { path: 'instancesComplete', equals: instancesComplete },
        ],
      };
    },
  });
  return ended !== undefined;
}
