/** The number of repetitions of property tests, command sequences and kill tests. */

const asked = process.env['PROPERTY_FACTOR'];

/** `PROPERTY_FACTOR=50` multiplies the number of cases. `npm run test:deep` sets it. */
export const FACTOR = Number(asked ?? 1);

/** Long searches name a smaller sample for `npm test`. */
export const cases = (number: number, sample = number): number =>
  asked === undefined ? sample : Math.ceil(number * FACTOR);
