/** The percentiles by which Insights sums up durations. `undefined` without durations. */
import { computePercentile } from '#shared/analytics/metrics/run-durations.ts';

export const computeMedian = (durations: readonly number[]): number | undefined => computePercentile(durations, 0.5);

/** 95 % of the durations are at most this long. */
export const compute95thPercentile = (durations: readonly number[]): number | undefined =>
  computePercentile(durations, 0.95);
