/** The number of repetitions of property tests, command sequences and kill tests. */

const asked = process.env['PROPERTY_FACTOR'];

/** `PROPERTY_FACTOR=50` multiplies the number of cases. `npm run test:deep` sets it. */
export const FACTOR = Number(asked ?? 1);

/** Whether tables and searches are tried in full, which `npm test` only samples. */
export const IS_DEEP = asked !== undefined;

/** The number of cases to try. `sample` is the number in `npm test`, for searches that would take too long there. */
export const cases = (number: number, sample = number): number => (IS_DEEP ? Math.ceil(number * FACTOR) : sample);

/**
 * Every `step`th value in `npm test`, and all values in `npm run test:deep`. `row` is where the sample begins: if each
 * row of a table passes its own number, the sample reaches every row and every column.
 */
export const sampled = <One>(all: readonly One[], step: number, row = 0): readonly One[] =>
  IS_DEEP ? all : all.filter((_, index) => (index + row) % step === 0);
