/**
 * Assigns the next batch to a machine. Each write is conditional: a batch goes to one machine only, and a machine that
 * repeats a request gets the same batch.
 */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT, put, update, type Write } from '#shared/engine/table/writes.ts';
import { type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { getTasksSpan, tasks } from '#shared/model/orchestration/task.ts';
import type { WithClock } from '#shared/services.ts';

interface BatchRequest {
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
  readonly requestKey: string;
}

interface Offer {
  readonly batch: number;
  readonly kind: 'new' | 'freed';
}

interface Assignment extends Omit<BatchRequest, 'requestKey'> {
  /** An offer that another machine has not taken. */
  readonly earlierOffer: Offer | undefined;
}

/** Returns the number of the batch, or `undefined` if none is left. */
export async function assignBatch(
  services: WithClock,
  { requestKey, ...request }: BatchRequest,
): Promise<number | undefined> {
  const { table } = services;
  const start: Assignment = { ...request, earlierOffer: undefined };
  return retryOptimisticallyFrom('tasks of a session', start, async ({ machine, session, earlierOffer }) => {
    if (machine.request === requestKey) return machine.held[0];
    const offer = earlierOffer ?? (await findOffer(services, session));
    if (!offer) return undefined;
    if (await table.transact(makeAssignmentWrites(services, machine, { requestKey, offer }))) return offer.batch;
    const task = await table.get(tasks, { ...session, batch: offer.batch }, { consistent: true });
    return new Again({
      machine: (await table.get(sessionMachines, machine, { consistent: true })) ?? refuse(notFound('Machine')),
      // Without its session, a freed batch can never be taken.
      session:
        (await table.get(orchestrationSessions, session, { consistent: true })) ??
        refuse(notFound('Orchestration session')),
      earlierOffer: offer.kind === 'freed' || task ? undefined : offer,
    });
  });
}

/**
 * Freed batches come first, because they are overdue. A request that is killed after it has incremented `next` leaves
 * its batch unassigned. Such a batch is returned once all other batches are assigned.
 */
async function findOffer(services: WithClock, session: OrchestrationSession): Promise<Offer | undefined> {
  const { table } = services;
  if (session.freed > 0) {
    const all = await table.queryAll(tasks, getTasksSpan(session), { consistent: true });
    const freedTask = all.find(({ machineId }) => machineId === undefined);
    if (freedTask) return { batch: freedTask.batch, kind: 'freed' };
  }
  if (session.next < session.batches) {
    const outcome = await table.update(orchestrationSessions, session, { add: [['next', 1]] }, PRESENT);
    const batch = outcome.done ? outcome.item.next - 1 : session.batches;
    if (batch < session.batches) return { batch, kind: 'new' };
  }
  const lostBatch = session.dealt ? undefined : await findLostBatch(services, session);
  return lostBatch === undefined ? undefined : { batch: lostBatch, kind: 'new' };
}

async function findLostBatch({ table }: WithClock, session: OrchestrationSession): Promise<number | undefined> {
  const all = await table.queryAll(tasks, getTasksSpan(session), { consistent: true });
  const assignedNumbers = new Set(all.map(({ batch }) => batch));
  for (let batch = 0; batch < session.batches; batch += 1) if (!assignedNumbers.has(batch)) return batch;
  const isSame = { path: 'batches', equals: session.batches };
  await table.update(orchestrationSessions, session, { set: [['dealt', true]] }, isSame);
  return undefined;
}

const HELD = 2;

function makeAssignmentWrites(
  { now }: WithClock,
  machine: SessionMachine,
  { requestKey, offer: { batch, kind } }: { readonly requestKey: string; readonly offer: Offer },
): Write[] {
  const { organizationId, runId, machineId, expiresAt, version } = machine;
  const key = { organizationId, runId, batch };
  const isFree: Condition = { all: [PRESENT, { absent: 'machineId' }] };
  const taking =
    kind === 'new'
      ? [put(tasks, { ...key, machineId, expiresAt }, ABSENT)]
      : [
          update(tasks, key, { set: [['machineId', machineId]] }, isFree),
          update(orchestrationSessions, machine, { add: [['freed', -1]] }, PRESENT),
        ];
  const changes = {
    set: [
      ['request', requestKey],
      ['at', now()],
      ['held', [batch, ...machine.held].slice(0, HELD)],
    ] as const,
    add: [['version', 1]] as const,
  };
  return [...taking, update(sessionMachines, machine, changes, { path: 'version', equals: version })];
}
