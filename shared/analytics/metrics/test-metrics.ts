/** §2.1, §4.4.5 Computes the metrics of a test from its stored totals. */
import type { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { Totals } from '../read-model.ts';
import type { MetricSettings, TestSummary } from './tests-wire.ts';
import { OUTCOMES, sumOutcomes } from './totals.ts';

export type TestMetrics = TestSummary['metrics'];

export function computeTestMetrics(
  { executions, flaky, milliseconds, timed }: Totals,
  settings: MetricSettings,
): TestMetrics {
  const countedExecutions = sumOutcomes(executions, settings.executions);
  // Rates and volumes count the outcomes of the settings, the other counters do not. A rate never exceeds 1, because
  // its numerator counts only executions that its denominator also counts.
  const pickCountedOutcomes = (outcomes: readonly RecordedTestOutcome[]) =>
    outcomes.filter((outcome) => settings.executions.includes(outcome));
  const countedFailures = sumOutcomes(executions, pickCountedOutcomes(settings.failureRate));
  const countedFlakes = sumOutcomes(flaky, pickCountedOutcomes(settings.flakinessRate));
  const totalDuration = sumOutcomes(milliseconds, settings.avgDuration);
  const timedExecutions = sumOutcomes(timed, settings.avgDuration);
  const average = divideOrZero(totalDuration, timedExecutions);
  return {
    executions: countedExecutions,
    passes: executions.passed,
    // §2.1 A skipped test was prevented by a failure.
    failures: executions.failed + executions.skipped,
    ignored: executions.pending,
    flaky: sumOutcomes(flaky, OUTCOMES),
    failureRate: divideOrZero(countedFailures, countedExecutions),
    flakinessRate: divideOrZero(countedFlakes, countedExecutions),
    avgDurationMs: Math.round(average),
    avgDuration: Math.round(average),
    failureVolume: countedFailures,
    flakinessVolume: countedFlakes,
    // The product comes first, because it has no fraction that the division would have to round.
    durationVolume: divideOrZero(totalDuration * countedExecutions, timedExecutions),
  };
}

export const divideOrZero = (part: number, total: number): number => (total === 0 ? 0 : part / total);

/** Null if the test was not executed in the preceding period. */
export const computeDeltas = (now: TestMetrics, before: TestMetrics | undefined): Partial<TestMetrics> =>
  before === undefined || before.executions === 0
    ? { failureRateDelta: null, flakinessRateDelta: null, durationDelta: null }
    : {
        failureRateDelta: now.failureRate - before.failureRate,
        flakinessRateDelta: now.flakinessRate - before.flakinessRate,
        durationDelta: now.avgDurationMs - before.avgDurationMs,
      };
