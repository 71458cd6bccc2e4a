/** How tests went in the parts of a period. All tests of a page have the same parts, which depend on the period only. */
import { spanLeaves } from '#shared/model/analytics/root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Period, TimeSlice } from '../read-model.ts';
import { METRIC_LIMITS } from './limits.ts';
import { OUTCOMES, sumOf } from './totals.ts';

export interface TrendPart extends Period {
  readonly executions: number;
  readonly failures: number;
  readonly flaky: number;
}

/** Oldest first, by signature. A part without an execution is there, too. */
export type Trends = ReadonlyMap<string, readonly TrendPart[]>;

/** A day is the first level of summaries, and the next ones have four, 16 and 64 days. */
const DAY_LEVEL = 1;
const lengthOf = (level: number): number => spanLeaves(level) * MODEL_LIMITS.leafMilliseconds;

/** Days in UTC, or the next longer summaries if days would be too many to draw. */
export function levelOfTrend({ from, to }: Period): number {
  let level = DAY_LEVEL;
  while ((to - from) / lengthOf(level) > METRIC_LIMITS.trendParts) level += 1;
  return level;
}

/** Several series of one test are one line. No slice may be longer than a part. */
export function trendsIn(period: Period, slices: ReadonlyMap<string, readonly TimeSlice[]>): Trends {
  const length = lengthOf(levelOfTrend(period));
  return new Map([...slices].map(([signature, own]) => [signature, partsOf(period, length, own)]));
}

function partsOf({ from: first, to: end }: Period, length: number, slices: readonly TimeSlice[]): TrendPart[] {
  const bySlice = Map.groupBy(slices, ({ from }) => Math.floor(from / length));
  const parts: TrendPart[] = [];
  for (let place = Math.floor(first / length); place * length < end; place += 1) {
    const totals = (bySlice.get(place) ?? []).map((slice) => slice.totals);
    const count = (of: (one: (typeof totals)[number]) => number) => totals.reduce((sum, one) => sum + of(one), 0);
    parts.push({
      from: place * length,
      to: (place + 1) * length,
      executions: count(({ executions }) => sumOf(executions, OUTCOMES)),
      failures: count(({ executions }) => sumOf(executions, ['failed', 'skipped'])),
      flaky: count(({ flaky }) => sumOf(flaky, OUTCOMES)),
    });
  }
  return parts;
}
