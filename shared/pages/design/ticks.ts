/** The horizontal lines of a chart, at round numbers. */
import { HOUR, MINUTE, SECOND } from './time-units.ts';

const makeSteps = (unit: number, steps: readonly number[]): number[] => steps.map((step) => step * unit);

export const DURATION_STEPS: readonly number[] = [
  ...makeSteps(1, [1, 2, 5, 10, 20, 50, 100, 200, 500]),
  ...makeSteps(SECOND, [1, 2, 5, 10, 20, 30]),
  ...makeSteps(MINUTE, [1, 2, 5, 10, 20, 30]),
  ...makeSteps(HOUR, [1, 2, 5, 10, 20, 50, 100, 200, 500]),
];

const MOST_COUNT_DIGITS = 15;

export const COUNT_STEPS: readonly number[] = Array.from({ length: MOST_COUNT_DIGITS }, (_, power) =>
  makeSteps(10 ** power, [1, 2, 5]),
).flat();

/** More lines than this would be crowded. */
const MOST_STEPS = 4;
const FEWEST_STEPS = 2;

/** The values of the horizontal lines: multiples of a round number, from 0 to the first one above the largest value. */
export function listTicks(most: number, steps: readonly number[]): number[] {
  const step = steps.find((one) => one * MOST_STEPS >= most) ?? most / MOST_STEPS;
  const count = Math.max(FEWEST_STEPS, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
