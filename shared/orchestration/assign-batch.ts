/**
 * Assigns the next batch to a machine. Each write is conditional: a batch has one machine, and a machine that asks
 * twice gets one batch.
 */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { optimistically } from '#shared/engine/table/optimistic.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT, put, update, type Write } from '#shared/engine/table/writes.ts';
import { type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { tasks, tasksSpan } from '#shared/model/orchestration/task.ts';
import type { Services } from '#shared/services.ts';

type Assigner = Pick<Services, 'table' | 'now'>;

interface Asking {
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
  readonly requestKey: string;
}

interface Offer {
  readonly batch: number;
  readonly kind: 'new' | 'freed';
}

/** Returns the number of the batch, or `undefined` if none is left. */
export async function assignBatch(services: Assigner, asking: Asking): Promise<number | undefined> {
  const { table } = services;
  let { machine, session } = asking;
  let offer: Offer | undefined;
  let assigned: number | undefined;
  await optimistically('tasks of a session', async () => {
    if (machine.request === asking.requestKey) {
      [assigned] = machine.held;
      return true;
    }
    offer ??= await nextOffer(services, session);
    if (!offer) return true;
    const { batch } = offer;
    if (await table.transact(assignment(services, machine, { requestKey: asking.requestKey, offer }))) {
      assigned = batch;
      return true;
    }
    const taken = await table.get(tasks, { ...session, batch }, { consistent: true });
    if (offer.kind === 'freed' || taken) offer = undefined;
    machine = (await table.get(sessionMachines, machine, { consistent: true })) ?? refuse(notFound('Machine'));
    session = (await table.get(orchestrationSessions, session, { consistent: true })) ?? session;
    return false;
  });
  return assigned;
}

/**
 * A batch that seems to be free. Batches of dead machines come first, because they are overdue. A request that was
 * killed between the increment and the assignment leaves a gap, which is found at the end.
 */
async function nextOffer(services: Assigner, session: OrchestrationSession): Promise<Offer | undefined> {
  const freed = session.freed > 0 ? await freedBatch(services, session) : undefined;
  if (freed !== undefined) return { batch: freed, kind: 'freed' };
  if (session.next < session.batches) {
    const { table } = services;
    const outcome = await table.update(orchestrationSessions, session, { add: [['next', 1]] }, PRESENT);
    const batch = outcome.done ? outcome.item.next - 1 : session.batches;
    if (batch < session.batches) return { batch, kind: 'new' };
  }
  const lost = session.dealt ? undefined : await lostBatch(services, session);
  return lost === undefined ? undefined : { batch: lost, kind: 'new' };
}

async function freedBatch({ table }: Assigner, session: OrchestrationSession): Promise<number | undefined> {
  const all = await table.queryAll(tasks, tasksSpan(session), { consistent: true });
  return all.find(({ machineId }) => machineId === undefined)?.batch;
}

async function lostBatch({ table }: Assigner, session: OrchestrationSession): Promise<number | undefined> {
  const all = await table.queryAll(tasks, tasksSpan(session), { consistent: true });
  const known = new Set(all.map(({ batch }) => batch));
  for (let batch = 0; batch < session.batches; batch += 1) if (!known.has(batch)) return batch;
  const isSame = { path: 'batches', equals: session.batches };
  await table.update(orchestrationSessions, session, { set: [['dealt', true]] }, isSame);
  return undefined;
}

const HELD = 2;

function assignment(
  { now }: Assigner,
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
