/** How tests went in the parts of a period. */
import type { Period, TimeSlice } from '../read-model.ts';
import { OUTCOMES, sumOf } from './totals.ts';

export interface TrendPart extends Period {
  readonly executions: number;
  readonly failures: number;
  readonly flaky: number;
}

/** Oldest first, by signature. */
export type Trends = ReadonlyMap<string, readonly TrendPart[]>;

/** Several series of one test are one part. */
export const trendsIn = (slices: ReadonlyMap<string, readonly TimeSlice[]>): Trends =>
  new Map([...slices].map(([signature, own]) => [signature, partsOf(own)]));

function partsOf(slices: readonly TimeSlice[]): TrendPart[] {
  const parts = new Map<string, TrendPart>();
  for (const { from, to, totals } of slices) {
    const { executions = 0, failures = 0, flaky = 0 } = parts.get(`${from} ${to}`) ?? {};
    parts.set(`${from} ${to}`, {
      ...{ from, to },
      executions: executions + sumOf(totals.executions, OUTCOMES),
      failures: failures + sumOf(totals.executions, ['failed', 'skipped']),
      flaky: flaky + sumOf(totals.flaky, OUTCOMES),
    });
  }
  return [...parts.values()];
}
