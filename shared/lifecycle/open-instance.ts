/**
 * §3 Opens an instance before further tests begin in it, so that the run does not end before these tests: the further
 * instance of a source, or a spec file to which a later suite adds tests. An instance that was complete becomes open
 * again. In a run that has ended, results count as late.
 */
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT, put, update } from '#shared/engine/table/writes.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { type Instance, instances, isComplete } from '#shared/model/results/instance.ts';
import { isUnderWay, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { UNDER_WAY } from './states.ts';

/** `row` is the instance as it is created. Returns the open instance. */
export async function openInstance({ table }: Services, run: RunKey, row: Instance): Promise<Instance> {
  // The end of the run requires this number, so that it cannot overlook the instance.
  const runWrite = update(runs, run, { add: [['resets', 1]] }, UNDER_WAY);
  return retryOptimistically('opened instance', async () => {
    const [storedInstance, latestRun] = await Promise.all([
      table.get(instances, row, { consistent: true }),
      table.get(runs, run, { consistent: true }),
    ]);
    if (storedInstance && !isComplete(storedInstance)) return storedInstance;
    if (!latestRun) return storedInstance ?? row;
    if (!isUnderWay(latestRun)) {
      if (storedInstance) return storedInstance;
      return (await table.put(instances, row, ABSENT)).done ? row : AGAIN;
    }
    const changes = { set: [['watched', true]] as const, remove: ['completedAt'] };
    const instanceWrite = storedInstance
      ? update(instances, storedInstance, changes, { path: 'completedAt', equals: storedInstance.completedAt ?? 0 })
      : put(instances, row, ABSENT);
    if (!(await table.transact([instanceWrite, runWrite]))) return AGAIN;
    return storedInstance ? { ...storedInstance, completedAt: undefined } : row;
  });
}
