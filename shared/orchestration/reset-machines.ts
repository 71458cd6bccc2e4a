/**
 * §4.4 A machine that is about to stop resets itself. Another machine of its session then runs the spec files that it has
 * now.
 */
import type * as z from 'zod';
import { notFound, refuse, runHasEnded } from '#shared/engine/errors.ts';
import { isClean, resetRun } from '#shared/lifecycle/reset-run.ts';
import type { ResetRun } from '#shared/lifecycle/reset-wire.ts';
import { isUnderWay } from '#shared/lifecycle/states.ts';
import type { Services } from '#shared/services.ts';
import { giveBack } from './give-back.ts';
import { readSession } from './start-session.ts';

interface ResetRequest {
  readonly organizationId: string;
  readonly runId: string;
  readonly machineIds: readonly string[];
}

/** Machines without a session release all their unfinished and failed spec files. */
export async function resetMachines(
  services: Services,
  { machineIds, ...key }: ResetRequest,
): Promise<z.infer<typeof ResetRun>> {
  const [opened, others]: [string[], string[]] = [[], []];
  for (const machineId of new Set(machineIds)) {
    const { run = refuse(notFound('Run')), session, machine } = await readSession(services, { ...key, machineId });
    if (!isUnderWay(run)) throw runHasEnded();
    if (!session || !machine) others.push(machineId);
    else opened.push(...(await giveBack(services, { run, session, machine, isDone: isClean })));
  }
  const rest = others.length > 0 ? await resetRun(services, { ...key, machineIds: others }) : undefined;
  return { runId: key.runId, instanceIds: [...opened, ...(rest?.instanceIds ?? [])] };
}
