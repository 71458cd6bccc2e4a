/** How the time of something grows with what it is given. Measured against itself, so that the machine does not matter. */
const SMALL = 25_000;
const TIMES = 8;
/** Best of at least so many rounds. Others use the machine, too: what they disturbed is measured again. */
const ROUNDS = { least: 2, most: 25 };

/** Between 8, which is in proportion, and 64, which is squared. */
export const IN_PROPORTION = 24;

const filled = (unit: string, characters: number): string =>
  unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);

function milliseconds(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** How many times longer eight times as much of `unit` takes. */
export function growth(work: (text: string) => unknown, unit: string): number {
  const [few, many] = [filled(unit, SMALL), filled(unit, TIMES * SMALL)];
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS.most; round += 1) {
    small = Math.min(
      small,
      milliseconds(() => work(few)),
    );
    large = Math.min(
      large,
      milliseconds(() => work(many)),
    );
    if (round + 1 >= ROUNDS.least && large / small < IN_PROPORTION) break;
  }
  return large / small;
}
