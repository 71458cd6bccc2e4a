/** Frees unfinished spec files of a machine for others. Their results are deleted first, so none is recorded twice. */

import { PRESENT, update, type Write } from '#shared/engine/table/writes.ts';
import { isClaimedByMachines, type Reset, reopenFiles } from '#shared/lifecycle/reset-run.ts';
import { type GivingBack, type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { tasks } from '#shared/model/orchestration/task.ts';
import type { Instance } from '#shared/model/results/instance.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { type BatchFile, readBatches, readFiles } from './read-batches.ts';

export interface GiveBackRequest extends Pick<Reset, 'audit'> {
  readonly run: Run;
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
  /** The numbers of the batches to free. Default: the current batches of the machine. */
  readonly batches?: readonly number[];
  /** Whether the spec file is done and does not have to run again. */
  readonly isDone: (instance: Instance) => boolean;
}

const TOKEN_CHARACTERS = 16;

/**
 * Frees batches of a machine, and returns the ids of the instances that can run again. Only one request at a time frees
 * the batches of a machine. If that request is killed, another request may take over after a minute.
 */
export async function giveBack(
  services: Services,
  { run, session, machine, batches = machine.held, isDone, audit = [] }: GiveBackRequest,
): Promise<readonly string[]> {
  const giving = await beginGivingBack(services, machine, batches);
  if (!giving) return [];
  const files = await readFiles(services, session, await readBatches(services, session, giving.held));
  const undoneFiles = files.filter(({ instance }) => !isDone(instance));
  const openInstances = undoneFiles.map(({ instance }) => instance);
  const machineIds = [machine.machineId];
  const claimedInstances = openInstances.filter((instance) => isClaimedByMachines(instance, machineIds));
  if (claimedInstances.length > 0) await reopenFiles(services, run, { wanted: claimedInstances, machineIds, audit });
  await finishGivingBack(services, machine, giving, undoneFiles);
  return openInstances.map(({ instanceId }) => instanceId);
}

export const isBeingGivenBack = ({ givingBack }: SessionMachine, now: number): boolean =>
  givingBack !== undefined && givingBack.at + ORCHESTRATION_LIMITS.givingBackMilliseconds > now;

/** Empties the list of batches that the machine holds, so that it can take new ones while the old ones are freed. */
async function beginGivingBack(
  { table, now, randomId }: Services,
  machine: SessionMachine,
  batches: readonly number[],
): Promise<GivingBack | undefined> {
  const batchNumbers = [...new Set([...batches, ...(machine.givingBack?.held ?? [])])];
  if (batchNumbers.length === 0 || isBeingGivenBack(machine, now())) return undefined;
  const giving = { token: randomId(TOKEN_CHARACTERS), at: now(), held: batchNumbers };
  const changes = { set: [['givingBack', giving] as const, ['held', []] as const], add: [['version', 1] as const] };
  const outcome = await table.update(sessionMachines, machine, changes, { path: 'version', equals: machine.version });
  return outcome.done ? giving : undefined;
}

async function finishGivingBack(
  { table }: Services,
  machine: SessionMachine,
  giving: GivingBack,
  undoneFiles: readonly BatchFile[],
): Promise<void> {
  const { machineId } = machine;
  const byBatch = [...Map.groupBy(undoneFiles, ({ batch }) => batch)];
  const taskWrites = byBatch.map(([batch, files]) =>
    update(
      tasks,
      { ...machine, batch },
      { set: [['left', files.map(({ spec }) => spec)]], remove: ['machineId'] },
      { path: 'machineId', equals: machineId },
    ),
  );
  const isMine = { all: [PRESENT, { path: ['givingBack', 'token'] as const, equals: giving.token }] };
  const writes: Write[] = [...taskWrites, update(sessionMachines, machine, { remove: ['givingBack'] }, isMine)];
  if (taskWrites.length > 0)
    writes.push(update(orchestrationSessions, machine, { add: [['freed', taskWrites.length]] }, PRESENT));
  await table.transact(writes);
}
