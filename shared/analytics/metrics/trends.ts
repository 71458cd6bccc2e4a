/**
 * Trends: the executions, failures and flaky executions of tests in equal parts of a period. The parts depend only on
 * the period, so all tests of a page have the same parts.
 */
import { countLeaves } from '#shared/model/analytics/root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Period, TimeSlice } from '../read-model.ts';
import { METRIC_LIMITS } from './limits.ts';
import { OUTCOMES, sumOf } from './totals.ts';

export interface TrendPart extends Period {
  readonly executions: number;
  readonly failures: number;
  readonly flaky: number;
}

/** The trend of each test, by test signature, oldest part first. Parts without any execution are included. */
export type Trends = ReadonlyMap<string, readonly TrendPart[]>;

/** The level whose summaries cover a day. Summaries of level 1 cover a day, the next levels 4, 16 and 64 days. */
const DAY_LEVEL = 1;
const lengthOf = (level: number): number => countLeaves(level) * MODEL_LIMITS.leafMilliseconds;

/**
 * The level whose spans become the parts of the trend: days in UTC, or longer spans if there are too many days to draw.
 */
export function levelOfTrend({ from, to }: Period): number {
  let level = DAY_LEVEL;
  while ((to - from) / lengthOf(level) > METRIC_LIMITS.trendParts) level += 1;
  return level;
}

/** Adds up the time slices of each test for each part of the trend. No slice may be longer than a part. */
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
