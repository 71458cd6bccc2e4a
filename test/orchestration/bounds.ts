/** The shortest possible wall times of a simulated build. */
import { ORCHESTRATION_LIMITS } from '#shared/orchestration/limits.ts';
import type { Build, Lost, Simulated } from './simulation.ts';

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** Without deaths: the mean work of a machine, or the longest file. */
export function idealOf({ durations, machines }: Pick<Build, 'durations' | 'machines'>) {
  const all = [...durations.values()];
  const share = sum(all) / machines;
  return { share, ideal: Math.max(share, ...all) };
}

/**
 * The least time of a server that knows all durations and deaths in advance. It gives a lost file back after the same
 * silence. Then a machine must be there to run it.
 */
export function leastWith(
  { durations, machines, deaths }: Build,
  { lost, joined, runner }: Simulated,
  usual: ReadonlyMap<string, number>,
): number {
  const { ideal } = idealOf({ durations, machines });
  const work = sum([...durations.values()]) + sum(lost.map(({ begunAt, diedAt }) => diedAt - begunAt));
  const again = lost.map((file) => {
    const there = joined.get(runner.get(file.spec) ?? '') ?? 0;
    return Math.max(freeAt(file, usual), there) + (durations.get(file.spec) ?? 0);
  });
  return Math.max(ideal, timeFor(work, machines, deaths), ...again);
}

/** The first moment at which a silent machine counts as dead. */
const freeAt = ({ spec, begunAt }: Lost, usual: ReadonlyMap<string, number>): number =>
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
