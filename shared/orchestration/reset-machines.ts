/** §4.4.3 Resets machines. In an orchestration session, other machines then run the spec files of the reset ones. */

import type * as z from 'zod';
import type { Actor } from '#shared/access/actor.ts';
import { splitIntoChunks } from '#shared/engine/chunks.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import { runHasEnded } from '#shared/lifecycle/errors.ts';
import { findRun } from '#shared/lifecycle/find-run.ts';
import { isClean, resetRun } from '#shared/lifecycle/reset-run.ts';
import type { ResetRun } from '#shared/lifecycle/reset-wire.ts';
import { runRecord } from '#shared/lifecycle/run-record.ts';
import { getTasksSpan, tasks } from '#shared/model/orchestration/task.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { isUnderWay } from '#shared/model/runs/run.ts';
import { makeAuditWrite } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import { giveBack } from './give-back.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { readOrchestration } from './start-session.ts';

interface ResetRequest {
  readonly organizationId: string;
  readonly runId: string;
  readonly machineIds: readonly string[];
  /** Which batches of a machine in a session to free: only its current ones, or all that are assigned to it. */
  readonly which: 'current' | 'all';
  /** For the audit record. Absent if a machine resets itself, which is part of recording and needs no record. */
  readonly actor?: Actor;
}

/** A machine outside an orchestration session releases all its unfinished and failed spec files. */
export async function resetMachines(
  services: Services,
  { machineIds, which, actor, ...key }: ResetRequest,
): Promise<z.infer<typeof ResetRun>> {
  const audit = actor ? await makeAuditWrites(services, { ...key, machineIds }, actor) : [];
  const reopenedIds: string[] = [];
  const otherMachineIds: string[] = [];
  for (const machineId of new Set(machineIds)) {
    const freedIds = await freeMachineBatches(services, { ...key, machineId }, { which, audit });
    if (freedIds) reopenedIds.push(...freedIds);
    else otherMachineIds.push(machineId);
  }
  const rest =
    otherMachineIds.length > 0 ? await resetRun(services, { ...key, machineIds: otherMachineIds, audit }) : undefined;
  return { runId: key.runId, instanceIds: [...reopenedIds, ...(rest?.instanceIds ?? [])] };
}

/** The writes are stored only if the reset deletes results. */
async function makeAuditWrites(
  services: Services,
  { machineIds, ...key }: Pick<ResetRequest, 'organizationId' | 'runId' | 'machineIds'>,
  actor: Actor,
): Promise<readonly Write[]> {
  const run = await findRun(services, key);
  const project = await services.table.get(projects, run);
  const ids = [...new Set(machineIds)];
  const first = takeFirstCharacters(ids[0] ?? '', ORCHESTRATION_LIMITS.auditedMachineCharacters);
  const more = [ids.length > 1 ? `machine ${first} and ${ids.length - 1} more` : `machine ${first}`];
  return [makeAuditWrite(services, actor, runRecord('run reset', run, { project, more }))];
}

type MachineKey = Parameters<typeof readOrchestration>[1];

/** Returns the ids of the instances that can run again, or `undefined` for a machine in no orchestration session. */
async function freeMachineBatches(
  services: Services,
  key: MachineKey,
  { which, audit }: Pick<ResetRequest, 'which'> & { readonly audit: readonly Write[] },
): Promise<string[] | undefined> {
  const instanceIds: string[] = [];
  for (const batches of which === 'all' ? await listMachineBatches(services, key) : [undefined]) {
    const { run = refuse(notFound('Run')), session, machine } = await readOrchestration(services, key);
    if (!isUnderWay(run)) throw runHasEnded();
    if (!session || !machine) return undefined;
    instanceIds.push(...(await giveBack(services, { run, session, machine, batches, isDone: isClean, audit })));
  }
  return instanceIds;
}

/** In chunks that fit into one transaction. At least one, so that the caller checks whether the session exists. */
async function listMachineBatches({ table }: Services, key: MachineKey): Promise<number[][]> {
  const all = await table.queryAll(tasks, getTasksSpan(key), { consistent: true });
  const batchNumbers = all.filter(({ machineId }) => machineId === key.machineId).map(({ batch }) => batch);
  return batchNumbers.length === 0 ? [[]] : splitIntoChunks(batchNumbers, ORCHESTRATION_LIMITS.batchesPerTransaction);
}
