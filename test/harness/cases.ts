/** The number of repetitions of property tests, command sequences and kill tests. */

const asked = process.env['PROPERTY_FACTOR'];

/** `PROPERTY_FACTOR=50` multiplies the number of cases. `npm run test:deep` sets it. */
export const FACTOR = Number(asked ?? 1);

/** Long searches name a smaller sample for `npm test`. */
export const cases = (number: number, sample = number): number =>
  asked === undefined ? sample : Math.ceil(number * FACTOR);

/**
 * Every `step`th of these in `npm test`, and all of them in `npm run test:deep`. In a table, a different `row` per row makes
 * the sample reach every row and every column.
 */
export const sampled = <One>(all: readonly One[], step: number, row = 0): readonly One[] =>
  asked === undefined ? all.filter((_, index) => (index + row) % step === 0) : all;
