/** How many cases property tests try, and how many times other long tests repeat their steps. */

const asked = process.env['PROPERTY_FACTOR'];

/** The factor for the number of cases, for example `PROPERTY_FACTOR=50`. `npm run test:deep` sets this variable. */
export const FACTOR = Number(asked ?? 1);

/** Whether all cases of large tables and long searches are tried. `npm test` tries only a sample of them. */
export const IS_DEEP = asked !== undefined;

/**
 * The number of cases to try. `sample` is the number in `npm test`, for tests that would take too long with all cases.
 */
export const cases = (number: number, sample = number): number => (IS_DEEP ? Math.ceil(number * FACTOR) : sample);

/**
 * Returns every `step`th value in `npm test`, and all values in `npm run test:deep`. `row` shifts the start of the
 * sample: if each row of a table passes its own number, and the table has at least `step` rows and columns, the samples
 * together cover every row and every column.
 */
export const sampled = <One>(all: readonly One[], step: number, row = 0): readonly One[] =>
  IS_DEEP ? all : all.filter((_, index) => (index + row) % step === 0);
