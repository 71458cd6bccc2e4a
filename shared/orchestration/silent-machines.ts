/** Finds machines that stopped reporting while they had spec files to run, and frees those files for other machines. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { getLastChangeTime, pickLatestTime, readLastMessageTime } from '#shared/lifecycle/last-report.ts';
import { getSessionMachinesSpan, type SessionMachine, sessionMachines } from '#shared/model/orchestration/machine.ts';
import { type OrchestrationSession, orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { isComplete } from '#shared/model/results/instance.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services, WithClock } from '#shared/services.ts';
import { sessionIsBusy } from './errors.ts';
import { giveBack, isBeingGivenBack } from './give-back.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { type BatchFile, readBatches, readFiles } from './read-batches.ts';

interface MachineAtWork {
  readonly run: Run;
  readonly session: OrchestrationSession;
  readonly machine: SessionMachine;
}

const { silenceMilliseconds, lookMilliseconds } = ORCHESTRATION_LIMITS;

interface SilenceQuestion extends Pick<SessionMachine, 'machineId'> {
  /** Whether a machine that waits for work retries. It then always searches for machines that stopped reporting. */
  readonly hasWaited: boolean;
}

/** Unless it is a retry, searches at most once per `lookMilliseconds`. Returns the current session. */
export async function freeSilentMachines(
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

interface IdleMachine extends Pick<SessionMachine, 'machineId'> {
  /** How many times the client has already retried its request. `undefined` if the client cannot retry it. */
  readonly attempt: number | undefined;
}

/**
 * Asks an idle machine to retry, by a 429, as long as another machine may have stopped reporting, because the spec files
 * of that machine may soon be free. `pwc-p` retries a refused request three times, and fails if the last is refused, so
 * the last is never refused.
 */
export async function askToRetry(
  services: WithClock,
  session: OrchestrationSession,
  { machineId, attempt }: IdleMachine,
): Promise<void> {
  const pauses = attempt === undefined ? [] : ORCHESTRATION_LIMITS.pausesMilliseconds.slice(attempt);
  const [pause] = pauses;
  if (pause === undefined) return;
  const { table, now } = services;
  const by = now() + pauses.reduce((sum, milliseconds) => sum + milliseconds, 0);
  const machines = await table.queryAll(sessionMachines, getSessionMachinesSpan(session), { consistent: true });
  const others = machines.filter((machine) => machine.machineId !== machineId && mayDie(machine, by));
  const mayFreeFiles = await mapConcurrently(others, async (machine) => {
    if (machine.givingBack !== undefined) return true;
    const open = await listOpenFiles(services, session, machine);
    return open.length > 0 && (await computeDeadline(services, { machine, open, by })) <= by;
  });
  if (mayFreeFiles.includes(true)) throw sessionIsBusy(Math.ceil(pause / 1000));
}

/** Whether the machine may count as dead at this time, judging only by its own row. */
const mayDie = ({ held, givingBack, at }: SessionMachine, by: number): boolean =>
  givingBack !== undefined || (held.length > 0 && at + silenceMilliseconds <= by);

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
