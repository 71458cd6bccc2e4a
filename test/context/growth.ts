/** Measures how CPU time grows with the input size, as a ratio that does not depend on the speed of the machine. */

const SMALL = 12_500;
const TIMES = 8;
/**
 * The maximum number of measurements. Only the fastest one counts, because other processes can only make a measurement
 * slower.
 */
const ROUNDS = 25;

/**
 * The maximum growth in time that counts as linear. Eight times the input takes 8 times as long if the work is linear,
 * and 64 times as long if it is quadratic.
 */
export const IN_PROPORTION = 24;

const filled = (unit: string, characters: number): string =>
  unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);

/** CPU time in microseconds, which excludes the time of other processes. */
function processorTime(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Returns how many times as long the work takes if the input is eight times as long. */
export function growth(work: (text: string) => unknown, unit: string, characters = SMALL): number {
  const few = filled(unit, characters);
  const many = filled(unit, TIMES * characters);
  const smallTime = () => processorTime(() => work(few));
  // The first run is slower, because it also compiles the code. This would hide growth, so only the faster of two runs
  // counts.
  let small = Math.min(smallTime(), smallTime());
  let large = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && large / small >= IN_PROPORTION; round += 1) {
    if (round > 0) small = Math.min(small, smallTime());
    large = Math.min(
      large,
      processorTime(() => work(many)),
    );
  }
  return large / small;
}
