/** A quantile of the values. For example, `part` is 0.99 for the 99th percentile. */
export function quantile(values: readonly number[], part: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
  if (value === undefined) throw new Error('The quantile of an empty list is undefined');
  return value;
}

/** The median. For an even number of values, it is the upper of the two values in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * The second smallest and the second largest value. Of nine values, they enclose the true median with a probability of
 * 96 percent. With fewer than seven values: the smallest and the largest.
 */
function interval(all: readonly number[]): readonly [number, number] {
  const sorted = all.toSorted((a, b) => a - b);
  const skipped = sorted.length >= 7 ? 1 : 0;
  return [sorted.at(skipped) ?? Number.NaN, sorted.at(-1 - skipped) ?? Number.NaN];
}

/** The median with its interval, for example `4.2 s (4.0 to 4.5)`. */
export const shown = (all: readonly number[], digits: number, unit = ''): string =>
  `${median(all).toFixed(digits)}${unit} (${interval(all)
    .map((value) => value.toFixed(digits))
    .join(' to ')})`;

/** The exponent by which y grows with x: the slope of log(y) over log(x), by least squares. */
export function exponentOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (name: 'x' | 'y') => logs.reduce((sum, point) => sum + point[name], 0) / logs.length;
  const meanX = mean('x');
  const meanY = mean('y');
  const covariance = logs.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / logs.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}
