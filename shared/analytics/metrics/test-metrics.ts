/** §2.1, §4.4.5 Computes the metrics of a test from its stored totals. */
import type { RecordedTestOutcome } from '#shared/model/tests/outcomes.ts';
import type { Totals } from '../read-model.ts';
import type { MetricSettings, TestSummary } from './tests-wire.ts';
import { OUTCOMES, sumOf } from './totals.ts';

export type TestMetrics = TestSummary['metrics'];

export function testMetrics({ executions, flaky, milliseconds, timed }: Totals, settings: MetricSettings): TestMetrics {
  const total = sumOf(executions, settings.executions);
  // A rate never exceeds 1, because its numerator counts only executions that its denominator also counts.
  const counted = (outcomes: readonly RecordedTestOutcome[]) =>
    outcomes.filter((outcome) => settings.executions.includes(outcome));
  const failures = sumOf(executions, counted(settings.failureRate));
  const flakes = sumOf(flaky, counted(settings.flakinessRate));
  const [duration, durations] = [sumOf(milliseconds, settings.avgDuration), sumOf(timed, settings.avgDuration)];
  const average = ratio(duration, durations);
  return {
    executions: total,
    passes: executions.passed,
    failures: executions.failed + executions.skipped,
    ignored: executions.pending,
    flaky: sumOf(flaky, OUTCOMES),
    failureRate: ratio(failures, total),
    flakinessRate: ratio(flakes, total),
    avgDurationMs: Math.round(average),
    avgDuration: Math.round(average),
    failureVolume: failures,
    flakinessVolume: flakes,
    // The product comes first, because it has no fraction that the division would have to round.
    durationVolume: ratio(duration * total, durations),
  };
}

/** Divides `part` by `whole`. Returns zero if `whole` is zero. */
export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** The change since the preceding period. Null if the test was not executed in that period. */
export const deltasOf = (now: TestMetrics, before: TestMetrics | undefined): Partial<TestMetrics> =>
  before === undefined || before.executions === 0
    ? { failureRateDelta: null, flakinessRateDelta: null, durationDelta: null }
    : {
        failureRateDelta: now.failureRate - before.failureRate,
        flakinessRateDelta: now.flakinessRate - before.flakinessRate,
        durationDelta: now.avgDurationMs - before.avgDurationMs,
      };
