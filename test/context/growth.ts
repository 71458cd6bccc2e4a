/** Measures how CPU time grows with the input size. Ratios do not depend on the machine. */
const SMALL = 25_000;
const TIMES = 8;
/** The minimum number of rounds. The best one counts, because other processes disturb the measurement. */
const ROUNDS = { least: 2, most: 25 };

/**
 * The largest growth of time that counts as linear. Eight times the input takes 8 (linear) to 64 (quadratic) times the
 * time.
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

/** The ratio of times for eight times the input. */
export function growth(work: (text: string) => unknown, unit: string, characters = SMALL): number {
  const [few, many] = [filled(unit, characters), filled(unit, TIMES * characters)];
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS.most; round += 1) {
    small = Math.min(
      small,
      processorTime(() => work(few)),
    );
    large = Math.min(
      large,
      processorTime(() => work(many)),
    );
    if (round + 1 >= ROUNDS.least && large / small < IN_PROPORTION) break;
  }
  return large / small;
}
