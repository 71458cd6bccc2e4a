/**
 * §4.4.3 Resets a run after machines were interrupted. Their unfinished and failed spec files can be claimed again, and
 * the results of these files are deleted. Only a run in progress can be reset.
 */

import type * as z from 'zod';
import { refuse } from '#shared/engine/errors.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { Changes } from '#shared/engine/table/update.ts';
import { put, update, type Write } from '#shared/engine/table/writes.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { publishProgress } from '#shared/ingest/publish-progress.ts';
import { removeInstanceData } from '#shared/ingest/remove-instance.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { failures, getMarkedFailuresSpan, type Mark } from '#shared/model/results/failures.ts';
import { hasFailed, type Instance, instances, isComplete } from '#shared/model/results/instance.ts';
import { instanceResets } from '#shared/model/results/instance-reset.ts';
import { countTests } from '#shared/model/results/outcomes.ts';
import { getRunMembersSpan, isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { runHasEnded } from './errors.ts';
import { noteFailedTest } from './fail-run.ts';
import { findRun } from './find-run.ts';
import type { ResetRun } from './reset-wire.ts';
import { requireTransition, TRANSITIONS, UNDER_WAY } from './states.ts';

export interface Reset {
  readonly machineIds: readonly string[];
  /**
   * The write of the audit record, if any. Each transaction that begins the reset of a spec file contains this write.
   * The first of these transactions stores the record, and the others overwrite it with an identical record.
   */
  readonly audit?: readonly Write[];
}

/** Idempotent: the reset removes the claims, so a repeated call does not reset the same spec files again. */
export async function resetRun(
  services: Services,
  { machineIds, audit = [], ...key }: RunKey & Reset,
): Promise<z.infer<typeof ResetRun>> {
  const { table } = services;
  const run = await findRun(services, key);
  if (!isUnderWay(run)) throw runHasEnded();
  const all = await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'), { consistent: true });
  const instancesToReset = all.filter((instance) => isClaimedByMachines(instance, machineIds) && !isClean(instance));
  await reopenFiles(services, run, { wanted: instancesToReset, machineIds, audit });
  return { runId: run.runId, instanceIds: instancesToReset.map(({ instanceId }) => instanceId) };
}

/** Deletes the results of the `wanted` spec files of a run in progress, and the claims of these machines on them. */
export async function reopenFiles(
  services: Services,
  run: Run,
  { wanted, ...reset }: Reset & { readonly wanted: readonly Instance[] },
): Promise<void> {
  for (const instance of wanted) await resetInstance(services, instance, reset);
  await recoverStatus(services, run);
}

export const isClaimedByMachines = ({ claims }: Instance, machineIds: readonly string[]): boolean =>
  claims.some(({ machineId }) => machineIds.includes(machineId));

export const isClean = (instance: Instance): boolean => isComplete(instance) && !hasFailed(instance);

/**
 * `reviewInstance` skips the instance during the reset, and an earlier call cannot complete it, because the epoch has
 * changed. The claims are removed last, so that an interrupted request can be repeated.
 */
async function resetInstance(services: Services, instance: Instance, { machineIds, audit = [] }: Reset): Promise<void> {
  const epoch = await beginReset(services, instance, audit);
  if (epoch === undefined) return;
  // Files that are announced during the reset still need the `dueFiles` row, which schedules their removal.
  await removeInstanceData(services, instance, { keep: ['dueFiles', 'reset', 'suite'] });
  const remainingResults = await loadResults(services, instance, { consistent: true });
  await publishProgress(services, instance, remainingResults);
  const lastTestKey = remainingResults.expected.at(-1);
  if (lastTestKey !== undefined) await watchTest(services, { ...toResetKey(instance), testKey: lastTestKey });
  await endReset(services, instance, { machineIds, epoch });
}

/** Returns the new epoch, or `undefined` if the instance no longer exists. */
async function beginReset(services: Services, key: Instance, audit: readonly Write[]): Promise<number | undefined> {
  const { table, now } = services;
  return retryOptimistically('reset of an instance', async () => {
    const instance = await table.get(instances, key, { consistent: true });
    if (!instance) return undefined;
    const { completedAt } = instance;
    const mark = completedAt === undefined ? { absent: 'completedAt' } : { path: 'completedAt', equals: completedAt };
    const epoch = instance.epoch + 1;
    const isDone = await table.transact([
      update(instances, instance, makeResetChanges(epoch), { all: [{ path: 'epoch', equals: instance.epoch }, mark] }),
      put(instanceResets, { ...toResetKey(instance), epoch, resetting: true }),
      update(runs, instance, { set: [['resetAt', now()]], add: [['resets', 1]] }, UNDER_WAY),
      ...audit,
    ]);
    if (isDone) return epoch;
    const run = await table.get(runs, instance, { consistent: true });
    return !run || !isUnderWay(run) ? refuse(runHasEnded()) : AGAIN;
  });
}

const toResetKey = ({ organizationId, instanceId, expiry }: Instance) => ({
  organizationId,
  instanceId,
  expiresAt: expiry.results,
});

const makeResetChanges = (epoch: number): Changes => ({
  set: [
    ['epoch', epoch],
    ['counters', countTests([])],
    ['known', 0],
    ['testTags', []],
    ['version', 0],
    // The request that completes this instance again must check the run, because perhaps no other will.
    ['watched', true],
  ],
  remove: ['completedAt', 'hasMore', 'recordedAt', 'heardAt'],
});

async function endReset(
  { table }: Services,
  key: Instance,
  { machineIds, epoch }: { machineIds: readonly string[]; epoch: number },
): Promise<void> {
  await retryOptimistically('claims of an instance', async () => {
    const instance = await table.get(instances, key, { consistent: true });
    if (!instance || instance.epoch !== epoch) return true;
    const { claims } = instance;
    const remainingClaims = claims.filter(({ machineId }) => !machineIds.includes(machineId));
    const when = {
      all: [
        { path: 'epoch', equals: epoch },
        { path: 'claims', equals: claims },
      ],
    };
    const isDone = await table.transact([
      update(instances, instance, { set: [['claims', remainingClaims]], remove: ['worker'] }, when),
      put(instanceResets, { ...toResetKey(instance), epoch, resetting: false }),
    ]);
    return isDone || AGAIN;
  });
}

/** Sets the status to RUNNING if no failure is left. A second check finds a test that failed in the meantime. */
async function recoverStatus(services: Services, run: Run): Promise<void> {
  const { table } = services;
  // Uses the list of failures, because the stored counters of open instances may be outdated.
  const hasMark = async (mark: Mark) =>
    (await table.query(failures, getMarkedFailuresSpan(run, mark), { consistent: true, limit: 1 })).rows.length > 0;
  const anyFailed = async () => (await hasMark('f')) || hasMark('s');
  if (await anyFailed()) return;
  const [{ status }] = TRANSITIONS.recover.to;
  const { done } = await table.update(runs, run, { set: [['status', status]] }, requireTransition('recover'));
  if (done && (await anyFailed())) await noteFailedTest(services, run);
}
