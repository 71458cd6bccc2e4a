/** Finds machines that stopped reporting while they had spec files to run, and gives those files to others. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { machinesSpan, type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { isComplete } from '#shared/model/tests/instance.ts';
import type { Services } from '#shared/services.ts';
import { giveBack, isBeingGivenBack } from './give-back.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { deadAt, openFiles } from './silence.ts';

const { silenceMilliseconds, lookMilliseconds } = ORCHESTRATION_LIMITS;

interface Asking extends Pick<SessionMachine, 'machineId'> {
  /** A waiting machine searches at each request. */
  readonly hasWaited: boolean;
}

/**
 * Gives back the tasks of silent machines. Requests for tasks call it, and at most one new request searches per
 * interval. Returns the current session.
 */
export async function freeSilentMachines(
  services: Services,
  run: Run,
  session: OrchestrationSession,
  { machineId, hasWaited }: Asking,
): Promise<OrchestrationSession> {
  const { table, now } = services;
  if (!hasWaited) {
    if (session.lookedAt + lookMilliseconds > now()) return session;
    const isUnchanged = { path: 'lookedAt', equals: session.lookedAt };
    const { done } = await table.update(orchestrationSessions, session, { set: [['lookedAt', now()]] }, isUnchanged);
    if (!done) return session;
  }
  const machines = await table.queryAll(sessionMachines, machinesSpan(session), { consistent: true });
  const suspects = machines.filter((machine) => machine.machineId !== machineId && isSuspect(machine, now()));
  await mapConcurrently(suspects, (machine) => freeIfSilent(services, { run, session, machine }));
  return (await table.get(orchestrationSessions, session, { consistent: true })) ?? session;
}

const isSuspect = (machine: SessionMachine, now: number): boolean =>
  (machine.held.length > 0 || machine.givingBack !== undefined) &&
  machine.at + silenceMilliseconds <= now &&
  !isBeingGivenBack(machine, now);

interface Suspect {
  readonly run: Run;
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
}

async function freeIfSilent(services: Services, { run, session, machine }: Suspect): Promise<void> {
  const { table, now } = services;
  // An earlier request found the machine dead, and was killed while it gave its batches back.
  const isDead = machine.givingBack !== undefined;
  const open = await openFiles(services, session, machine);
  if (open.length === 0 && !isDead) {
    const unchanged = { path: 'version', equals: machine.version };
    await table.update(sessionMachines, machine, { set: [['held', []]], add: [['version', 1]] }, unchanged);
    return;
  }
  if (!isDead && (await deadAt(services, { machine, open, by: now() })) > now()) return;
  await giveBack(services, { run, session, machine, isDone: isComplete });
}
