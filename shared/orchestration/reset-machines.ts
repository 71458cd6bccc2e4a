/**
 * §4.4.3 Resets machines of a run. In an orchestration session, other machines then run the spec files of the reset
 * machines.
 */

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
import { auditWrite } from '#shared/organizations/change.ts';
import type { Services } from '#shared/services.ts';
import { giveBack } from './give-back.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { readOrchestration } from './start-session.ts';

interface ResetRequest {
  readonly organizationId: string;
  readonly runId: string;
  readonly machineIds: readonly string[];
  /**
   * Which batches of a machine in an orchestration session to free: only its current ones, or all that are assigned to
   * it.
   */
  readonly which: 'current' | 'all';
  /**
   * Who requested the reset, for the audit record. Absent if a machine resets itself, because such a reset is part of
   * recording and needs no audit record.
   */
  readonly actor?: Actor;
}

/**
 * Resets the machines. A machine outside an orchestration session releases all its unfinished and failed spec files.
 */
export async function resetMachines(
  services: Services,
  { machineIds, which, actor, ...key }: ResetRequest,
): Promise<z.infer<typeof ResetRun>> {
  const audit = actor ? await auditOf(services, { ...key, machineIds }, actor) : [];
  const opened: string[] = [];
  const others: string[] = [];
  for (const machineId of new Set(machineIds)) {
    const known = await openedBy(services, { ...key, machineId }, { which, audit });
    if (known) opened.push(...known);
    else others.push(machineId);
  }
  const rest = others.length > 0 ? await resetRun(services, { ...key, machineIds: others, audit }) : undefined;
  return { runId: key.runId, instanceIds: [...opened, ...(rest?.instanceIds ?? [])] };
}

/** The audit record of the reset. It is written only if the reset deletes results. */
async function auditOf(
  services: Services,
  { machineIds, ...key }: Pick<ResetRequest, 'organizationId' | 'runId' | 'machineIds'>,
  actor: Actor,
): Promise<readonly Write[]> {
  const run = await findRun(services, key);
  const project = await services.table.get(projects, run);
  const ids = [...new Set(machineIds)];
  const first = takeFirstCharacters(ids[0] ?? '', ORCHESTRATION_LIMITS.auditedMachineCharacters);
  const more = [ids.length > 1 ? `machine ${first} and ${ids.length - 1} more` : `machine ${first}`];
  return [auditWrite(services, actor, runRecord('run reset', run, { project, more }))];
}

type MachineKey = Parameters<typeof readOrchestration>[1];

/**
 * Frees the batches of a machine. Returns the ids of the instances that can run again, or `undefined` if the machine is
 * in no orchestration session.
 */
async function openedBy(
  services: Services,
  key: MachineKey,
  { which, audit }: Pick<ResetRequest, 'which'> & { readonly audit: readonly Write[] },
): Promise<string[] | undefined> {
  const opened: string[] = [];
  for (const batches of which === 'all' ? await batchesOf(services, key) : [undefined]) {
    const { run = refuse(notFound('Run')), session, machine } = await readOrchestration(services, key);
    if (!isUnderWay(run)) throw runHasEnded();
    if (!session || !machine) return undefined;
    opened.push(...(await giveBack(services, { run, session, machine, batches, isDone: isClean, audit })));
  }
  return opened;
}

/**
 * All batches of the machine, in chunks that fit into one transaction. Returns at least one chunk, so that the caller
 * always checks whether the session exists.
 */
async function batchesOf({ table }: Services, key: MachineKey): Promise<number[][]> {
  const all = await table.queryAll(tasks, getTasksSpan(key), { consistent: true });
  const own = all.filter(({ machineId }) => machineId === key.machineId).map(({ batch }) => batch);
  return own.length === 0 ? [[]] : splitIntoChunks(own, ORCHESTRATION_LIMITS.batchesPerTransaction);
}
