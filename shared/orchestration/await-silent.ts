/**
 * Asks an idle machine to retry if the spec files of a silent machine may soon be free. `pwc-p` retries a refused
 * request three times.
 */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { machinesSpan, type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import type { OrchestrationSession } from '#shared/model/orchestration/session.ts';
import type { Services } from '#shared/services.ts';
import { sessionIsBusy } from './errors.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { deadAt, openFiles } from './silence.ts';

interface Idle {
  readonly machineId: string;
  /** How often this request was retried. `undefined` if the client may not retry it. */
  readonly attempt: number | undefined;
}

/**
 * Throws 429 while waiting may help, so that the machine asks again. Never refuses the last retry, because `pwc-p`
 * would fail.
 */
export async function awaitSilent(
  services: Pick<Services, 'table' | 'now'>,
  session: OrchestrationSession,
  { machineId, attempt }: Idle,
): Promise<void> {
  const pauses = attempt === undefined ? [] : ORCHESTRATION_LIMITS.pausesMilliseconds.slice(attempt);
  const [pause] = pauses;
  if (pause === undefined) return;
  const { table, now } = services;
  const by = now() + pauses.reduce((sum, one) => sum + one, 0);
  const machines = await table.queryAll(sessionMachines, machinesSpan(session), { consistent: true });
  const others = machines.filter((machine) => machine.machineId !== machineId && mayDie(machine, by));
  const isNear = await mapConcurrently(others, async (machine) => {
    if (machine.givingBack !== undefined) return true;
    const open = await openFiles(services, session, machine);
    return open.length > 0 && (await deadAt(services, { machine, open, by })) <= by;
  });
  if (isNear.includes(true)) throw sessionIsBusy(Math.ceil(pause / 1000));
}

const mayDie = ({ held, givingBack, at }: SessionMachine, by: number): boolean =>
  givingBack !== undefined || (held.length > 0 && at + ORCHESTRATION_LIMITS.silenceMilliseconds <= by);
