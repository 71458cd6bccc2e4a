/**
 * Simulates the machines of an orchestration session. The functions of the service and the table are real; only the
 * machines and the time are simulated.
 */
import { vi } from 'vitest';
import { ApiError } from '#shared/engine/errors.ts';
import { takeTask } from '#shared/orchestration/take-task.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { createTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { startSession } from '#test/harness/orchestration.ts';
import { type Claimed, firstMessage } from '#test/harness/recording.ts';
import { attempt, passed, type SuiteGroup } from '#test/harness/recording-messages.ts';
import { START, type service } from '#test/harness/service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

export interface Build {
  readonly ciBuildId: string;
  readonly suite: readonly SuiteGroup[];
  /** The actual duration of each spec file, in milliseconds. */
  readonly durations: ReadonlyMap<string, number>;
  readonly machines: number;
  /** The time at which each dying machine dies, in milliseconds from the start, by machine number. */
  readonly deaths: ReadonlyMap<number, number>;
  /** Decides the order of machines that ask at the same time. */
  readonly random: () => number;
}

export interface Simulated {
  readonly runId: string;
  readonly wallMilliseconds: number;
  /** The spec files in the order in which they ended. */
  readonly ended: readonly string[];
  /** The spec files that were begun, including those of machines that died. */
  readonly begun: readonly string[];
  readonly lost: readonly Lost[];
  /** The time at which each machine joined, in milliseconds from the start, by machine id. */
  readonly joined: ReadonlyMap<string, number>;
  /** The spec files that were completed, each with its machine. */
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
  /** How many times the machine has repeated its request, because it was told to wait. */
  readonly repeats?: number;
}

/** A spec file that was running when its machine died. The times are in milliseconds from the start of the build. */
export interface Lost {
  readonly spec: string;
  readonly begunAt: number;
  readonly diedAt: number;
}

/** The build starts an hour after the earlier run, from whose durations the service predicts those of the build. */
const BEGAN = START.getTime() + 3_600_000;
/** How many milliseconds the reporter `pwc-p` waits before each retry of a refused request. */
export const PAUSES = [3000, 15_000, 30_000];
/** The time until new machines join if spec files remain after all other machines have left or died. */
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
      // A build ends with its last spec file, even if machines are still waiting.
      if (due.some(({ running }) => running)) endedAt = now;
      // Machines act one at a time, so that the simulation is reproducible. In `tasks.test.ts` they act concurrently.
      const next: Moment[] = [];
      for (const moment of due) next.push(...(await step(stage, build, { runId, moment, begun, ended })));
      for (const moment of next) {
        const diedAt = deadline.get(moment.machineId) ?? Number.POSITIVE_INFINITY;
        // A dead machine reports nothing.
        if (moment.at < diedAt) {
          waiting.push(moment);
          if (moment.running) ran.push({ spec: moment.running.spec, machineId: moment.machineId, endedAt: moment.at });
        } else if (moment.running) lost.push({ spec: moment.running.spec, begunAt: now, diedAt });
      }
    }
    if (ended.length >= build.durations.size || round > build.machines)
      return { runId, wallMilliseconds: endedAt, ended, begun, lost, joined, ran };
    // One new machine joins for each machine that died while it was running a spec file.
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

/** Lets a machine report the end of its spec file, ask for the next spec file, and start it. */
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
