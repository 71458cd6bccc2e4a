/**
 * Trends: the executions, failures and flaky executions of tests in equal parts of a period. The parts depend only on
 * the period, so all tests of a page have the same parts.
 */
import { countLeaves } from '#shared/model/analytics/root.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { Period, TimeSlice } from '../read-model.ts';
import { METRIC_LIMITS } from './limits.ts';
import { OUTCOMES, sumOutcomes } from './totals.ts';

export interface TrendPart extends Period {
  readonly executions: number;
  readonly failures: number;
  readonly flaky: number;
}

/** The trend of each test, by test signature, oldest part first. Parts without any execution are included. */
export type Trends = ReadonlyMap<string, readonly TrendPart[]>;

/** The level whose summaries cover a day. Summaries of level 1 cover a day, the next levels 4, 16 and 64 days. */
const DAY_LEVEL = 1;
const computeSpanLength = (level: number): number => countLeaves(level) * MODEL_LIMITS.leafMilliseconds;

/** The spans of this level become the parts: days in UTC, or longer spans if there are too many days to draw. */
export function chooseTrendLevel({ from, to }: Period): number {
  let level = DAY_LEVEL;
  while ((to - from) / computeSpanLength(level) > METRIC_LIMITS.trendParts) level += 1;
  return level;
}

/** No slice may be longer than a part of the trend. */
export function computeTrends(period: Period, slices: ReadonlyMap<string, readonly TimeSlice[]>): Trends {
  const length = computeSpanLength(chooseTrendLevel(period));
  return new Map(
    [...slices].map(([signature, testSlices]) => [signature, computeTrendParts(period, length, testSlices)]),
  );
}

/** The parts of all tests together. */
export function sumTrends(trends: Trends): TrendPart[] {
  const sums: TrendPart[] = [];
  for (const parts of trends.values())
    for (const [place, part] of parts.entries()) {
      const sum = sums[place] ?? { ...part, executions: 0, failures: 0, flaky: 0 };
      sums[place] = {
        ...sum,
        executions: sum.executions + part.executions,
        failures: sum.failures + part.failures,
        flaky: sum.flaky + part.flaky,
      };
    }
  return sums;
}

function computeTrendParts(
  { from: first, to: end }: Period,
  length: number,
  slices: readonly TimeSlice[],
): TrendPart[] {
  const bySlice = Map.groupBy(slices, ({ from }) => Math.floor(from / length));
  const parts: TrendPart[] = [];
  for (let place = Math.floor(first / length); place * length < end; place += 1) {
    const totals = (bySlice.get(place) ?? []).map((slice) => slice.totals);
    const count = (of: (one: (typeof totals)[number]) => number) => totals.reduce((sum, one) => sum + of(one), 0);
    parts.push({
      from: place * length,
      to: (place + 1) * length,
      executions: count(({ executions }) => sumOutcomes(executions, OUTCOMES)),
      failures: count(({ executions }) => sumOutcomes(executions, ['failed', 'skipped'])),
      flaky: count(({ flaky }) => sumOutcomes(flaky, OUTCOMES)),
    });
  }
  return parts;
}
