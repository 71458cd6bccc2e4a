/** The shortest possible wall times of a simulated build. */
import { ORCHESTRATION_LIMITS } from '#shared/orchestration/limits.ts';
import { type Build, type Lost, nameOf, PAUSES, type Simulated } from './simulation.ts';

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** Without deaths: the mean work of a machine, or the longest file. */
export function idealOf({ durations, machines }: Pick<Build, 'durations' | 'machines'>) {
  const all = [...durations.values()];
  const share = sum(all) / machines;
  return { share, ideal: Math.max(share, ...all) };
}

/**
 * The least time of a server that knows all durations and deaths in advance. It deals the files of living machines in the
 * same way. It gives a lost file back after the same silence. Then a machine must be there to run it.
 */
export function leastWith(build: Build, simulated: Simulated, usual: ReadonlyMap<string, number>): number {
  const { durations, machines, deaths } = build;
  const { ideal } = idealOf({ durations, machines });
  const work = sum([...durations.values()]) + sum(simulated.lost.map(({ begunAt, diedAt }) => diedAt - begunAt));
  return Math.max(ideal, timeFor(work, machines, deaths), timeAgain(build, simulated, usual));
}

/** A lost file, and when it is free for another machine. */
interface Again {
  readonly freeAt: number;
  readonly duration: number;
}

/** A machine, with the ends of its own files. */
interface Present {
  readonly machineId: string;
  readonly ends: readonly number[];
  readonly diesAt: number;
}

/** The time at which all lost files have run again, if the server chooses their machines in the best way. */
function timeAgain(build: Build, { lost, ran, joined }: Simulated, usual: ReadonlyMap<string, number>): number {
  const { durations, deaths } = build;
  const diesAt = new Map([...deaths].map(([number, time]) => [nameOf(number), time]));
  const isLost = new Set(lost.map(({ spec }) => spec));
  const present = [...joined].map(([machineId, joinedAt]): Present => {
    const own = ran.filter((one) => one.machineId === machineId && !isLost.has(one.spec));
    const ends = [joinedAt, ...own.map(({ endedAt }) => endedAt)];
    return { machineId, ends, diesAt: diesAt.get(machineId) ?? Number.POSITIVE_INFINITY };
  });
  const again = lost.map((file): Again => {
    return { freeAt: timeOfSilence(file, usual), duration: durations.get(file.spec) ?? 0 };
  });
  again.sort((one, other) => one.freeAt - other.freeAt);
  return shortest(again, present, new Map());
}

/** Tries each choice of machines. One machine is fastest in the order in which its files are free. */
function shortest(
  [file, ...rest]: readonly Again[],
  present: readonly Present[],
  busy: ReadonlyMap<string, number>,
): number {
  if (!file) return Math.max(0, ...busy.values());
  const choices = present.flatMap(({ machineId, ends, diesAt }) => {
    // A machine that finds no file repeats its request for this time, and then leaves.
    const asks = [...ends, busy.get(machineId) ?? 0].filter((end) => end + sum(PAUSES) >= file.freeAt);
    const end = Math.max(file.freeAt, busy.get(machineId) ?? 0, Math.min(...asks)) + file.duration;
    return asks.length === 0 || end > diesAt ? [] : [{ machineId, end }];
  });
  // Each file needs one machine, so later machines than these cannot help.
  const earliest = choices.sort((one, other) => one.end - other.end).slice(0, rest.length + 1);
  const times = earliest.map(({ machineId, end }) => shortest(rest, present, new Map([...busy, [machineId, end]])));
  return Math.min(...times);
}

/** The first moment at which a silent machine counts as dead. */
const timeOfSilence = ({ spec, begunAt }: Lost, usual: ReadonlyMap<string, number>): number =>
  begunAt + (usual.get(spec) ?? 0) + ORCHESTRATION_LIMITS.silenceMilliseconds;

/** The time in which machines that die can do the work. */
function timeFor(work: number, machines: number, deaths: ReadonlyMap<number, number>): number {
  let [living, rest, time] = [machines, work, 0];
  for (const death of [...deaths.values()].sort((one, other) => one - other)) {
    const done = living * (death - time);
    if (done >= rest) break;
    rest -= done;
    time = death;
    living -= 1;
  }
  return time + rest / Math.max(1, living);
}
