/**
 * Gives a machine its next batch of spec files. The request for a batch also acknowledges the previous batch of the
 * machine.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT, put, update, type Write } from '#shared/engine/table/writes.ts';
import { lastChange, lastMessage, newest } from '#shared/lifecycle/last-report.ts';
import { refuseEnded } from '#shared/lifecycle/refuse-ended.ts';
import { getSessionMachinesSpan, type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { getTasksSpan, tasks } from '#shared/model/orchestration/task.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { isComplete } from '#shared/model/tests/instance.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import { progressOfRead } from '#shared/results/live-counters.ts';
import type { Services, WithClock } from '#shared/services.ts';
import { sessionIsBusy } from './errors.ts';
import { giveBack, isBeingGivenBack } from './give-back.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { type BatchFile, readBatches, readFiles } from './read-batches.ts';
import type { TakeTaskAnswer } from './session-wire.ts';
import { readOrchestration } from './start-session.ts';

interface TaskRequest {
  readonly organizationId: string;
  /** The id of the session, which is also the id of its run. */
  readonly sessionId: string;
  readonly machineId: string;
  readonly sentRunId: string | null | undefined;
  readonly requestKey: string;
  /** How many times the client has already retried this request. `undefined` if the client cannot retry it. */
  readonly attempt?: number | undefined;
}

export async function takeTask(services: Services, request: TaskRequest): Promise<TakeTaskAnswer> {
  const { organizationId, sessionId: runId, machineId, requestKey, attempt } = request;
  const { run, session, machine } = await readOrchestration(services, { organizationId, runId, machineId });
  if (!run || !session) throw notFound('Orchestration session');
  refuseContradictions({ runId: request.sentRunId }, { runId });
  if (!machine) throw notFound('Machine of this orchestration session');
  const batch = await nextBatch(services, { run, session, machine, requestKey, attempt });
  const [progress, batches] = await Promise.all([
    progressOfRead(services, run),
    batch === undefined ? [] : readBatches(services, session, [batch]),
  ]);
  const { specFiles, tests } = progress;
  const shown = {
    specs: { overall: specFiles.total, completed: specFiles.complete },
    tests: {
      overall: tests.tests,
      passes: tests.passes,
      failures: tests.failures + tests.skipped,
      ignored: tests.pending,
      flaky: tests.flaky,
    },
  };
  const [next] = batches.map(({ groupId, files }) => ({
    groupId,
    tasks: files.map(({ spec, milliseconds }, workerIndex) => ({
      spec,
      score: milliseconds,
      workerIndex,
      batchSize: files.length,
    })),
  }));
  return { run: { progress: shown }, batch: next ?? null };
}

interface MachineAtWork {
  readonly run: Run;
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
}

interface Asking extends MachineAtWork {
  readonly requestKey: string;
  readonly attempt: number | undefined;
}

/**
 * Returns the number of the next batch. A run may be complete while machines still ask for batches, which is not an
 * error. If the run was cancelled or timed out, the request is refused.
 */
async function nextBatch(services: Services, asking: Asking): Promise<number | undefined> {
  const { run, session, machine, requestKey, attempt } = asking;
  if (machine.request === requestKey) return machine.held[0];
  if (run.completionState === 'COMPLETE') return undefined;
  refuseEnded(run);
  const { machineId } = machine;
  const latest = await freeSilentMachines(services, run, session, { machineId, hasWaited: (attempt ?? 0) > 0 });
  const batch = await assignBatch(services, { session: latest, machine, requestKey });
  if (batch === undefined) await awaitSilent(services, latest, { machineId, attempt });
  return batch;
}

// Finds machines that stopped reporting while they had spec files to run, and frees those files for other machines.

const { silenceMilliseconds, lookMilliseconds } = ORCHESTRATION_LIMITS;

interface SilenceQuestion extends Pick<SessionMachine, 'machineId'> {
  /**
   * Whether this request is a retry by a machine that is waiting for work. Such a request always searches for machines
   * that stopped reporting.
   */
  readonly hasWaited: boolean;
}

/**
 * Frees the batches of machines that stopped reporting. Called when a machine requests a batch. If the request is not a
 * retry, searches for such machines only if the last search was more than `lookMilliseconds` ago. Returns the current
 * session.
 */
async function freeSilentMachines(
  services: Services,
  run: Run,
  session: OrchestrationSession,
  { machineId, hasWaited }: SilenceQuestion,
): Promise<OrchestrationSession> {
  const { table, now } = services;
  if (!hasWaited) {
    if (session.lookedAt + lookMilliseconds > now()) return session;
    const isUnchanged = { path: 'lookedAt', equals: session.lookedAt };
    const { done } = await table.update(orchestrationSessions, session, { set: [['lookedAt', now()]] }, isUnchanged);
    if (!done) return session;
  }
  const machines = await table.queryAll(sessionMachines, getSessionMachinesSpan(session), { consistent: true });
  const suspects = machines.filter((machine) => machine.machineId !== machineId && isSuspect(machine, now()));
  await mapConcurrently(suspects, (machine) => freeIfSilent(services, { run, session, machine }));
  return (await table.get(orchestrationSessions, session, { consistent: true })) ?? session;
}

const isSuspect = (machine: SessionMachine, now: number): boolean =>
  (machine.held.length > 0 || machine.givingBack !== undefined) &&
  machine.at + silenceMilliseconds <= now &&
  !isBeingGivenBack(machine, now);

async function freeIfSilent(services: Services, { run, session, machine }: MachineAtWork): Promise<void> {
  const { table, now } = services;
  // `givingBack` is still set if an earlier request was killed before it had freed the batches of the machine.
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

// Asks an idle machine to retry if another machine may have stopped reporting, because the spec files of that machine
// may soon be free. `pwc-p` retries a refused request three times.

/**
 * Throws 429 as long as waiting may help, so that the machine asks again. Never refuses the last retry, because `pwc-p`
 * would then fail.
 */
async function awaitSilent(
  services: WithClock,
  session: OrchestrationSession,
  { machineId, attempt }: Pick<SessionMachine, 'machineId'> & Pick<Asking, 'attempt'>,
): Promise<void> {
  const pauses = attempt === undefined ? [] : ORCHESTRATION_LIMITS.pausesMilliseconds.slice(attempt);
  const [pause] = pauses;
  if (pause === undefined) return;
  const { table, now } = services;
  const by = now() + pauses.reduce((sum, one) => sum + one, 0);
  const machines = await table.queryAll(sessionMachines, getSessionMachinesSpan(session), { consistent: true });
  const others = machines.filter((machine) => machine.machineId !== machineId && mayDie(machine, by));
  const isNear = await mapConcurrently(others, async (machine) => {
    if (machine.givingBack !== undefined) return true;
    const open = await openFiles(services, session, machine);
    return open.length > 0 && (await deadAt(services, { machine, open, by })) <= by;
  });
  if (isNear.includes(true)) throw sessionIsBusy(Math.ceil(pause / 1000));
}

/** Whether the machine may count as dead at this time, judging only by its own row. */
const mayDie = ({ held, givingBack, at }: SessionMachine, by: number): boolean =>
  givingBack !== undefined || (held.length > 0 && at + silenceMilliseconds <= by);

// Assigns the next batch to a machine. Each write is conditional: a batch goes to one machine only, and a machine that
// repeats a request gets the same batch.

interface Offer {
  readonly batch: number;
  readonly kind: 'new' | 'freed';
}

/** Returns the number of the batch, or `undefined` if none is left. */
async function assignBatch(services: WithClock, asking: Omit<Asking, 'run' | 'attempt'>): Promise<number | undefined> {
  const { table } = services;
  let { machine, session } = asking;
  let offer: Offer | undefined;
  let assigned: number | undefined;
  await retryOptimistically('tasks of a session', async () => {
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
    // Without its session, a freed batch can never be taken.
    session =
      (await table.get(orchestrationSessions, session, { consistent: true })) ??
      refuse(notFound('Orchestration session'));
    return false;
  });
  return assigned;
}

/**
 * Returns a batch that appears to be free. Freed batches come first, because they are overdue. A request that is killed
 * after it has incremented `next` leaves its batch unassigned. Such a batch is returned once all other batches are
 * assigned.
 */
async function nextOffer(services: WithClock, session: OrchestrationSession): Promise<Offer | undefined> {
  const { table } = services;
  if (session.freed > 0) {
    const all = await table.queryAll(tasks, getTasksSpan(session), { consistent: true });
    const freed = all.find(({ machineId }) => machineId === undefined);
    if (freed) return { batch: freed.batch, kind: 'freed' };
  }
  if (session.next < session.batches) {
    const outcome = await table.update(orchestrationSessions, session, { add: [['next', 1]] }, PRESENT);
    const batch = outcome.done ? outcome.item.next - 1 : session.batches;
    if (batch < session.batches) return { batch, kind: 'new' };
  }
  const lost = session.dealt ? undefined : await lostBatch(services, session);
  return lost === undefined ? undefined : { batch: lost, kind: 'new' };
}

async function lostBatch({ table }: WithClock, session: OrchestrationSession): Promise<number | undefined> {
  const all = await table.queryAll(tasks, getTasksSpan(session), { consistent: true });
  const known = new Set(all.map(({ batch }) => batch));
  for (let batch = 0; batch < session.batches; batch += 1) if (!known.has(batch)) return batch;
  const isSame = { path: 'batches', equals: session.batches };
  await table.update(orchestrationSessions, session, { set: [['dealt', true]] }, isSame);
  return undefined;
}

const HELD = 2;

function assignment(
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

// Determines when a machine that reports nothing counts as dead.

/** The incomplete spec files of the machine. */
async function openFiles(
  services: WithTable,
  session: OrchestrationSession,
  { held }: SessionMachine,
): Promise<readonly BatchFile[]> {
  const files = await readFiles(services, session, await readBatches(services, session, held));
  return files.filter(({ instance }) => !isComplete(instance));
}

interface Holder {
  readonly machine: SessionMachine;
  readonly open: readonly BatchFile[];
  /**
   * The caller only needs to know whether the machine counts as dead at this time (epoch milliseconds). If the machine
   * counts as dead only later, `deadAt` may return any time after this one.
   */
  readonly by: number;
}

/** The time, in epoch milliseconds, at which the machine counts as dead unless it reports before. */
async function deadAt({ table }: WithTable, { machine, open, by }: Holder): Promise<number> {
  const early = patienceEnd(machine, open, []);
  if (early > by) return early;
  const messages = await mapConcurrently(open, ({ instance }) => lastMessage(table, instance));
  return patienceEnd(machine, open, messages);
}

/**
 * When the machine counts as dead, given its latest reports. Always later than the expected end of each spec file,
 * because a long test reports nothing while it runs.
 */
function patienceEnd(machine: SessionMachine, open: readonly BatchFile[], messages: readonly number[]): number {
  const reported = newest([machine.at, ...open.map(({ instance }) => lastChange(instance)), ...messages]);
  const ends = open.map(({ instance, milliseconds }) => {
    const begun = newest([machine.at, ...instance.claims.map(({ at }) => at)]);
    return begun + milliseconds;
  });
  return newest([reported + newest(open.map(longestSilence)), ...ends]) + ORCHESTRATION_LIMITS.silenceMilliseconds;
}

/**
 * How long a machine may report nothing while it runs one test: `longTestFactor` times the mean duration of the tests
 * in the spec file.
 */
const longestSilence = ({ instance, milliseconds }: BatchFile): number =>
  Math.min(milliseconds, (milliseconds * ORCHESTRATION_LIMITS.longTestFactor) / Math.max(1, instance.expected));
