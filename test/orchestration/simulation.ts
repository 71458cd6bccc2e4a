/** Simulates the machines of a session with the real rules and table. Only the time is simulated. */
import { vi } from 'vitest';
import { ApiError } from '#shared/engine/errors.ts';
import { takeTask } from '#shared/orchestration/take-task.ts';
import { claimInstance } from '#shared/recording/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/claim-wire.ts';
import { createTestRecord } from '#shared/recording/record-test.ts';
import { CreateTestRecordBody } from '#shared/recording/test-wire.ts';
import { startSession } from '#test/harness/orchestration.ts';
import { type Claimed, firstMessage } from '#test/harness/recording.ts';
import { attempt, passed, type SuiteGroup } from '#test/harness/recording-messages.ts';
import { START, type service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

export interface Build {
  readonly ciBuildId: string;
  readonly suite: readonly SuiteGroup[];
  /** The real duration of each spec file in milliseconds. */
  readonly durations: ReadonlyMap<string, number>;
  readonly machines: number;
  /** The milliseconds after which machines die, by their number. */
  readonly deaths: ReadonlyMap<number, number>;
  /** Decides the order in which machines ask at the same time. */
  readonly random: () => number;
}

export interface Simulated {
  readonly runId: string;
  readonly wallMilliseconds: number;
  /** The spec files in the order in which they ended. */
  readonly ended: readonly string[];
  /** The spec files that were begun, also by machines that died. */
  readonly begun: readonly string[];
  readonly lost: readonly Lost[];
  /** The machines that ran spec files, with the time at which each of them joined. */
  readonly joined: ReadonlyMap<string, number>;
  /** The spec files that machines ran to their end. */
  readonly ran: readonly Ran[];
}

interface Ran {
  readonly spec: string;
  readonly machineId: string;
  readonly endedAt: number;
}

interface Moment {
  readonly at: number;
  readonly machineId: string;
  readonly running?: Claimed;
  /** The repetitions of its request, after answers that asked it to wait. */
  readonly repeats?: number;
}

/** A spec file that a machine began and did not end before it died. */
export interface Lost {
  readonly spec: string;
  readonly begunAt: number;
  readonly diedAt: number;
}

/** After the run that left the history. */
const BEGAN = START.getTime() + 3_600_000;
/** The pauses of `pwc-p` before it repeats a refused request. */
export const PAUSES = [3000, 15_000, 30_000];
/** The pause after which machines join, if all others have ended or died and files are left. */
export const LATE_MILLISECONDS = 5 * 60_000;

export const nameOf = (number: number): string => `machine-${number}`;

export async function simulate(stage: Stage, build: Build): Promise<Simulated> {
  vi.setSystemTime(BEGAN);
  const begun: string[] = [];
  const ended: string[] = [];
  const lost: Lost[] = [];
  const ran: Ran[] = [];
  const names = Array.from({ length: build.machines }, (_, number) => nameOf(number));
  const places = new Map(names.map((name) => [name, build.random()]));
  const join = (machineId: string) => startSession(stage, build.suite, { ciBuildId: build.ciBuildId, machineId });
  const joined = new Map(names.map((name) => [name, 0]));
  const sessions = await Promise.all(names.map(join));
  const runId = sessions[0]?.runId ?? '';
  const deadline = new Map(names.map((name, number) => [name, build.deaths.get(number) ?? Number.POSITIVE_INFINITY]));
  const first = names.toSorted((one, other) => (places.get(one) ?? 0) - (places.get(other) ?? 0));
  let waiting: Moment[] = first.map((machineId) => ({ at: 0, machineId }));
  let now = 0;
  let endedAt = 0;
  for (let round = 0; ; round += 1) {
    while (waiting.length > 0) {
      now = waiting.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
      vi.setSystemTime(BEGAN + now);
      const due = waiting.filter(({ at }) => at === now);
      waiting = waiting.filter(({ at }) => at !== now);
      // Idle machines that only wait do not make a build longer.
      if (due.some(({ running }) => running)) endedAt = now;
      // One after the other, so that each simulation of a build is the same. `tasks.test.ts` lets machines race.
      const next: Moment[] = [];
      for (const moment of due) next.push(...(await step(stage, build, { runId, moment, begun, ended })));
      for (const moment of next) {
        const diedAt = deadline.get(moment.machineId) ?? Number.POSITIVE_INFINITY;
        // A dead machine reports nothing any more.
        if (moment.at < diedAt) {
          waiting.push(moment);
          if (moment.running) ran.push({ spec: moment.running.spec, machineId: moment.machineId, endedAt: moment.at });
        } else if (moment.running) lost.push({ spec: moment.running.spec, begunAt: now, diedAt });
      }
    }
    if (ended.length >= build.durations.size || round > build.machines)
      return { runId, wallMilliseconds: endedAt, ended, begun, lost, joined, ran };
    // Other machines take the places of the dead ones.
    const others = lost.map((_, number) => `late-${round}-${number}`);
    now += LATE_MILLISECONDS;
    vi.setSystemTime(BEGAN + now);
    await Promise.all(others.map(join));
    for (const machineId of others) joined.set(machineId, now);
    waiting = others.map((machineId) => ({ at: now, machineId }));
  }
}

interface Step {
  readonly runId: string;
  readonly moment: Moment;
  readonly begun: string[];
  readonly ended: string[];
}

/** A machine ends its spec file, asks for the next one and begins it. */
async function step(stage: Stage, build: Build, { runId, moment, begun, ended }: Step): Promise<Moment[]> {
  const { services, organizationId } = stage;
  const { machineId, running, at } = moment;
  if (running) {
    const state = passed({ attempts: [attempt('passed', { duration: build.durations.get(running.spec) ?? 0 })] });
    const sent = firstMessage(running, `${running.spec} > works`, state);
    await createTestRecord(services, { organizationId, body: CreateTestRecordBody.parse(sent), sent });
    ended.push(running.spec);
  }
  const repeats = running ? 0 : (moment.repeats ?? 0);
  const requestKey = `${machineId} ${at}`;
  const request = { organizationId, sessionId: runId, machineId, sentRunId: runId, requestKey, attempt: repeats };
  const task = await takeTask(services, request).catch((error: unknown) => {
    if (error instanceof ApiError && error.statusCode === 429) return undefined;
    throw error;
  });
  if (!task) return [{ at: at + (PAUSES[repeats] ?? 0), machineId, repeats: repeats + 1 }];
  const [file] = task.batch?.tasks ?? [];
  if (!file) return [];
  begun.push(file.spec);
  const body = ClaimInstanceBody.parse({ runId, groupId: 'retail', spec: file.spec, machineId });
  const claimed = await claimInstance(services, { organizationId, runId, body, requestKey });
  const duration = build.durations.get(file.spec) ?? 0;
  return [{ at: at + duration, machineId, running: { ...claimed, runId, groupId: 'retail', spec: file.spec } }];
}
