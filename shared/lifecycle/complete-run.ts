/** A run is COMPLETE when every expected test has a final result; what comes later moves its counters, and never opens it again. */

import { isFailure } from '../outcomes.ts';
import { groups } from '../resources/group.ts';
import { instances, reportedTests } from '../resources/instance.ts';
import { membersSpan, type Run, runs } from '../resources/run.ts';
import { summarize } from '../results/group-summary.ts';
import type { Services } from '../services.ts';
import { endRun } from './end-run.ts';
import { isUnderWay, judgement, mayPass } from './states.ts';

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

export async function completeRun(services: Services, key: RunKey): Promise<void> {
  const run = await services.table.get(runs, key, { consistent: true });
  if (!run || (isUnderWay(run) && !isReported(run))) return;
  // Whoever ended it may have read the instances before this result came.
  if (!(await finishRun(services, run)) && isReported(run)) await recount(services, run);
}

/** True for the call that finished it. */
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

/** Nothing is expected only until the first suite is stored. */
const isReported = ({ instancesExpected, instancesComplete }: Run): boolean =>
  instancesExpected > 0 && instancesComplete >= instancesExpected;

/** Where tests of a run that was broken off are still to report, its readers count live. */
async function recount({ table }: Services, key: RunKey): Promise<void> {
  // The number is taken before the instances are read: a summary with a higher one has seen at least as much.
  const counted = await table.update(runs, key, { add: [['version', 1]] }, { present: 'pk' });
  if (!counted.done || isUnderWay(counted.item)) return;
  const run = counted.item;
  const [members, all] = await Promise.all([
    table.queryAll(groups, membersSpan(run, 'GROUP'), { consistent: true }),
    table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true }),
  ]);
  const failed = all.some((instance) => reportedTests(instance).some(({ outcome }) => isFailure(outcome)));
  const summary = summarize(run, members, all, run.endedAt ?? run.createdAt);
  const judged = judgement(run, failed);
  const newest = { path: 'version', equals: run.version };
  const set = [['groups', summary] as const, ...judged];
  await table.update(runs, run, { set }, judged.length > 0 ? { all: [newest, mayPass('judge')] } : newest);
}
