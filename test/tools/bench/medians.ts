/** The value that this part of all values is below: 0.99 for p99. */
export function quantile(values: readonly number[], part: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
  if (value === undefined) throw new Error('No values have no quantile');
  return value;
}

/** The middle value; of an even number of values the upper one of the two. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The slope of log(y) over log(x): how y grows with x, as an exponent. By least squares. */
export function exponentOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (name: 'x' | 'y') => logs.reduce((sum, point) => sum + point[name], 0) / logs.length;
  const [meanX, meanY] = [mean('x'), mean('y')];
  const covariance = logs.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / logs.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
}
