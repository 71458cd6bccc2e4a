/** The number of repetitions of property tests, command sequences and kill tests. */

/** `PROPERTY_FACTOR=50` multiplies the number of cases. `npm run test:deep` sets it. */
export const FACTOR = Number(process.env['PROPERTY_FACTOR'] ?? 1);

export const cases = (number: number): number => Math.ceil(number * FACTOR);
