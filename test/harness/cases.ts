/** The number of repetitions of property tests, command sequences and kill tests. */

const asked = process.env['PROPERTY_FACTOR'];

/** `PROPERTY_FACTOR=50` multiplies the number of cases. `npm run test:deep` sets it. */
export const FACTOR = Number(asked ?? 1);

/** Whether tables and searches are tried in full. `npm test` tries samples of them. */
export const IS_DEEP = asked !== undefined;

/** Long searches name a smaller sample for `npm test`. */
export const cases = (number: number, sample = number): number => (IS_DEEP ? Math.ceil(number * FACTOR) : sample);

/**
 * Every `step`th of these in `npm test`, and all of them in `npm run test:deep`. In a table, a different `row` per row makes
 * the sample reach every row and every column.
 */
export const sampled = <One>(all: readonly One[], step: number, row = 0): readonly One[] =>
  IS_DEEP ? all : all.filter((_, index) => (index + row) % step === 0);
