/** Ideal wall times, with which tests compare the wall time of a simulated build. */
import { ORCHESTRATION_LIMITS } from '#shared/orchestration/limits.ts';
import { type Build, LATE_MILLISECONDS, type Lost, nameOf, PAUSES, type Simulated } from './simulation.ts';

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/**
 * `ideal` is the minimum wall time if no machine dies: the mean work per machine (`share`), or the duration of the
 * longest file if that is longer.
 */
export function idealOf({ durations, machines }: Pick<Build, 'durations' | 'machines'>) {
  const all = [...durations.values()];
  const share = sum(all) / machines;
  return { share, ideal: Math.max(share, ...all) };
}

/**
 * The minimum wall time with an ideal server, which notices immediately that a machine has not reported for too long,
 * never lets a machine wait while a file is free, and distributes the files to living machines as the service does. The
 * server cannot know which machine will die, so it holds no files back.
 */
export function leastWith(build: Build, simulated: Simulated, usual: ReadonlyMap<string, number>): number {
  const { durations, machines, deaths } = build;
  const { ideal } = idealOf({ durations, machines });
  const work = sum([...durations.values()]) + sum(simulated.lost.map(({ begunAt, diedAt }) => diedAt - begunAt));
  return Math.max(ideal, timeFor(work, machines, deaths), timeAgain(build, simulated, usual));
}

/** When an idle machine asks for another file before it leaves, in milliseconds after the end of its last file. */
const REQUESTS = [0, ...PAUSES].map((_, index) => sum(PAUSES.slice(0, index)));

/**
 * The time at which all files of dead machines have been run again. The first machine that asks gets the longest free
 * file.
 */
function timeAgain(build: Build, { lost, ran, joined }: Simulated, usual: ReadonlyMap<string, number>): number {
  const usually = ({ spec }: { readonly spec: string }): number => usual.get(spec) ?? 0;
  const isLost = new Set(lost.map(({ spec }) => spec));
  const diesAt = new Map([...build.deaths].map(([number, time]) => [nameOf(number), time]));
  const ownEnds = new Map([...joined].map(([machineId, at]) => [machineId, [at]]));
  for (const { spec, machineId, endedAt } of ran) if (!isLost.has(spec)) ownEnds.get(machineId)?.push(endedAt);
  // A server cannot know that the next machine will die as well, so a file that was lost twice is free only when the
  // second machine counts as dead as well.
  const latest = new Map(lost.map((file) => [file.spec, { spec: file.spec, at: timeOfSilence(file, usual) }]));
  const free = [...latest.values()].sort((one, other) => usually(other) - usually(one));
  const busyUntil = new Map<string, number>();
  while (free.length > 0) {
    const firstAt = Math.min(...free.map(({ at }) => at));
    const requests = [...ownEnds].flatMap(([machineId, ends]) => {
      const until = busyUntil.get(machineId) ?? 0;
      const idle = Math.max(until, ...ends);
      const last = diesAt.get(machineId) ?? Number.POSITIVE_INFINITY;
      return [...ends, ...REQUESTS.map((pause) => idle + pause)]
        .filter((at) => at >= firstAt && at >= until && at < last)
        .map((at) => ({ machineId, at }));
    });
    const [next] = requests.sort((one, other) => one.at - other.at);
    // All machines have left, so new machines have to join later. The simulated run may have been faster than this
    // estimate.
    if (!next) return Math.max(...busyUntil.values(), firstAt) + LATE_MILLISECONDS;
    const [file] = free.splice(
      free.findIndex(({ at }) => at <= next.at),
      1,
    );
    busyUntil.set(next.machineId, next.at + (build.durations.get(file?.spec ?? '') ?? 0));
  }
  return Math.max(0, ...busyUntil.values());
}

/** The earliest time at which a machine that has stopped reporting counts as dead. */
const timeOfSilence = ({ spec, begunAt }: Lost, usual: ReadonlyMap<string, number>): number =>
  begunAt + (usual.get(spec) ?? 0) + ORCHESTRATION_LIMITS.silenceMilliseconds;

/** The minimum time in which the machines can do the work if some of them die. */
function timeFor(work: number, machines: number, deaths: ReadonlyMap<number, number>): number {
  let living = machines;
  let rest = work;
  let time = 0;
  for (const death of [...deaths.values()].sort((one, other) => one - other)) {
    const done = living * (death - time);
    if (done >= rest) break;
    rest -= done;
    time = death;
    living -= 1;
  }
  return time + rest / Math.max(1, living);
}
