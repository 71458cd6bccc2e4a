/**
 * §4.4 A machine was interrupted: the spec files it had taken and not brought to a clean end are open again, as if nobody had
 * taken them, and what their tests reported is forgotten. Only a run that goes on can be reset.
 */
import * as z from 'zod';
import { notFound, refuse, runHasEnded } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { optimistically } from '../optimistic.ts';
import { isFailure } from '../outcomes.ts';
import { failures } from '../resources/failures.ts';
import { type Instance, instances, isComplete, reportedTests } from '../resources/instance.ts';
import { id } from '../resources/names.ts';
import { membersSpan, type Run, runs } from '../resources/run.ts';
import type { Services } from '../services.ts';
import type { Changes } from '../table/update.ts';
import { remove, update } from '../table/writes.ts';
import { noteFailedTest } from './fail-run.ts';
import { removeInstanceData } from './remove-instance.ts';
import { isUnderWay, mayPass, TRANSITIONS, UNDER_WAY } from './states.ts';

export const ResetRunBody = z.object({
  machineId: z.array(id).min(1).max(LIMITS.machinesPerReset),
  isBatchedOr8n: z.boolean().optional().meta({ description: 'Taken and not needed: all runs are reset alike' }),
});

export const ResetRun = z
  .object({ runId: z.string(), instanceIds: z.array(z.string()).meta({ description: 'Spec files open again' }) })
  .meta({ id: 'ResetRun' });

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

/** May be repeated: what is open already is not opened again. */
export async function resetRun(
  services: Services,
  { machineIds, ...key }: RunKey & { readonly machineIds: readonly string[] },
): Promise<z.infer<typeof ResetRun>> {
  const { table } = services;
  const run = (await table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  if (!isUnderWay(run)) throw runHasEnded();
  const all = await table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true });
  const wanted = all.filter((instance) => isTakenBy(instance, machineIds) && !isClean(instance));
  for (const instance of wanted) await reopen(services, instance, machineIds);
  await recover(services, run);
  return { runId: run.runId, instanceIds: wanted.map(({ instanceId }) => instanceId) };
}

const isTakenBy = ({ claims }: Instance, machineIds: readonly string[]): boolean =>
  claims.some(({ machineId }) => machineIds.includes(machineId));

const isClean = (instance: Instance): boolean => isComplete(instance) && !hasFailed(instance);

const hasFailed = (instance: Instance): boolean => reportedTests(instance).some(({ outcome }) => isFailure(outcome));

/** What was reported goes first: a record left behind would be newer than all that the next machine says. */
async function reopen(services: Services, known: Instance, machineIds: readonly string[]): Promise<void> {
  const { table } = services;
  await removeInstanceData(services, known);
  await optimistically('reset of an instance', async () => {
    const instance = await table.get(instances, known, { consistent: true });
    if (!instance || !isTakenBy(instance, machineIds)) return true;
    const { completedAt, version } = instance;
    const counted = completedAt === undefined ? [] : [['instancesComplete', -1] as const];
    const mark = completedAt === undefined ? { absent: 'completedAt' } : { path: 'completedAt', equals: completedAt };
    const done = await table.transact([
      update(instances, instance, reopened(instance, machineIds), {
        all: [{ path: 'version', equals: version }, mark],
      }),
      update(runs, instance, { set: [['resetAt', services.now()]], add: counted }, UNDER_WAY),
      remove(failures, instance),
    ]);
    if (done) return true;
    const run = await table.get(runs, instance, { consistent: true });
    return !run || !isUnderWay(run) ? refuse(runHasEnded()) : false;
  });
}

const reopened = ({ claims, results, version }: Instance, machineIds: readonly string[]): Changes => ({
  set: [
    ['claims', claims.filter(({ machineId }) => !machineIds.includes(machineId))],
    ['results', Object.fromEntries(Object.keys(results).map((testKey) => [testKey, '']))],
    ['testTags', {}],
    ['version', version + 1],
  ],
  remove: ['completedAt', 'worker', 'recordedAt', 'heardAt'],
});

/** Back to RUNNING when no failure is left. One that came meanwhile turns it FAILING again. */
async function recover(services: Services, run: Run): Promise<void> {
  const { table } = services;
  const anyFailed = async () =>
    (await table.queryAll(instances, membersSpan(run, 'INSTANCE'), { consistent: true })).some(hasFailed);
  if (await anyFailed()) return;
  const [{ status }] = TRANSITIONS.recover.to;
  const { done } = await table.update(runs, run, { set: [['status', status]] }, mayPass('recover'));
  if (done && (await anyFailed())) await noteFailedTest(services, run);
}
