/** Gives a machine its next batch of spec files. Its request also acknowledges its previous batch. */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { Again, retryOptimisticallyFrom } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import type { Condition } from '#shared/engine/table/update.ts';
import { ABSENT, PRESENT, put, update, type Write } from '#shared/engine/table/writes.ts';
import { getLastChangeTime, pickLatestTime, readLastMessageTime } from '#shared/lifecycle/last-report.ts';
import { refuseEnded } from '#shared/lifecycle/refuse-ended.ts';
import { getSessionMachinesSpan, type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { getTasksSpan, tasks } from '#shared/model/orchestration/task.ts';
import { isComplete } from '#shared/model/results/instance.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import { readProgressOfRun } from '#shared/results/runs/live-counters.ts';
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
  const batch = await takeNextBatch(services, { run, session, machine, requestKey, attempt });
  const [progress, batches] = await Promise.all([
    readProgressOfRun(services, run),
    batch === undefined ? [] : readBatches(services, session, [batch]),
  ]);
  const { specFiles, tests } = progress;
  const wireProgress = {
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
  return { run: { progress: wireProgress }, batch: next ?? null };
}

interface MachineAtWork {
  readonly run: Run;
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
}

interface BatchRequest extends MachineAtWork {
  readonly requestKey: string;
  readonly attempt: number | undefined;
}

/** In a complete run, machines may still ask for batches. After a cancellation or time-out, they are refused. */
async function takeNextBatch(services: Services, request: BatchRequest): Promise<number | undefined> {
  const { run, session, machine, requestKey, attempt } = request;
  if (machine.request === requestKey) return machine.held[0];
  if (run.completionState === 'COMPLETE') return undefined;
  refuseEnded(run);
  const { machineId } = machine;
  const currentSession = await freeSilentMachines(services, run, session, { machineId, hasWaited: (attempt ?? 0) > 0 });
  const batch = await assignBatch(services, { session: currentSession, machine, requestKey });
  if (batch === undefined) await askToRetry(services, currentSession, { machineId, attempt });
  return batch;
}

// Finds machines that stopped reporting while they had spec files to run, and frees those files for other machines.

const { silenceMilliseconds, lookMilliseconds } = ORCHESTRATION_LIMITS;

interface SilenceQuestion extends Pick<SessionMachine, 'machineId'> {
  /** Whether a machine that waits for work retries. It then always searches for machines that stopped reporting. */
  readonly hasWaited: boolean;
}

/** Unless it is a retry, searches at most once per `lookMilliseconds`. Returns the current session. */
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
  const open = await listOpenFiles(services, session, machine);
  if (open.length === 0 && !isDead) {
    const isUnchanged = { path: 'version', equals: machine.version };
    await table.update(sessionMachines, machine, { set: [['held', []]], add: [['version', 1]] }, isUnchanged);
    return;
  }
  if (!isDead && (await computeDeadline(services, { machine, open, by: now() })) > now()) return;
  await giveBack(services, { run, session, machine, isDone: isComplete });
}

// Asks an idle machine to retry if another machine may have stopped reporting, because the spec files of that machine
// may soon be free. `pwc-p` retries a refused request three times.

/** Throws 429 as long as waiting may help. Never refuses the last retry, because `pwc-p` would then fail. */
async function askToRetry(
  services: WithClock,
  session: OrchestrationSession,
  { machineId, attempt }: Pick<SessionMachine, 'machineId'> & Pick<BatchRequest, 'attempt'>,
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
    const open = await listOpenFiles(services, session, machine);
    return open.length > 0 && (await computeDeadline(services, { machine, open, by })) <= by;
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

interface Assignment extends Pick<BatchRequest, 'machine' | 'session'> {
  /** An offer that another machine has not taken. */
  readonly earlierOffer: Offer | undefined;
}

/** Returns the number of the batch, or `undefined` if none is left. */
async function assignBatch(
  services: WithClock,
  request: Omit<BatchRequest, 'run' | 'attempt'>,
): Promise<number | undefined> {
  const { table } = services;
  const { requestKey } = request;
  const start: Assignment = { machine: request.machine, session: request.session, earlierOffer: undefined };
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

// Determines when a machine that reports nothing counts as dead.

async function listOpenFiles(
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
  /** In epoch milliseconds. If the machine counts as dead only later, `computeDeadline` may return any later time. */
  readonly by: number;
}

/** In epoch milliseconds. The machine counts as dead then, unless it reports before. */
async function computeDeadline({ table }: WithTable, { machine, open, by }: Holder): Promise<number> {
  const earlyDeadline = computePatienceEnd(machine, open, []);
  if (earlyDeadline > by) return earlyDeadline;
  const messages = await mapConcurrently(open, ({ instance }) => readLastMessageTime(table, instance));
  return computePatienceEnd(machine, open, messages);
}

/** Always later than the expected end of each spec file, because a long test reports nothing while it runs. */
function computePatienceEnd(machine: SessionMachine, open: readonly BatchFile[], messages: readonly number[]): number {
  const lastReportAt = pickLatestTime([
    machine.at,
    ...open.map(({ instance }) => getLastChangeTime(instance)),
    ...messages,
  ]);
  const ends = open.map(({ instance, milliseconds }) => {
    const beganAt = pickLatestTime([machine.at, ...instance.claims.map(({ at }) => at)]);
    return beganAt + milliseconds;
  });
  return (
    pickLatestTime([lastReportAt + pickLatestTime(open.map(computeLongestSilence)), ...ends]) +
    ORCHESTRATION_LIMITS.silenceMilliseconds
  );
}

/** How long one test may report nothing: `longTestFactor` times the mean duration of the tests in its spec file. */
const computeLongestSilence = ({ instance, milliseconds }: BatchFile): number =>
  Math.min(milliseconds, (milliseconds * ORCHESTRATION_LIMITS.longTestFactor) / Math.max(1, instance.expected));
