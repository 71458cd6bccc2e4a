/** The metrics of one test, counted execution by execution. */
import { durationOf, isFlaky } from './judgement.ts';
import type { TestExecution } from './selection.ts';
import { OUTCOMES, type Outcome } from './sent.ts';

/** The outcomes that each metric counts. */
export interface MetricSettings {
  readonly executions?: readonly Outcome[];
  readonly avgDuration?: readonly Outcome[];
  readonly flakinessRate?: readonly Outcome[];
  readonly failureRate?: readonly Outcome[];
}

export interface TestMetrics {
  readonly executions: number;
  readonly passes: number;
  readonly failures: number;
  readonly ignored: number;
  readonly flaky: number;
  readonly failureRate: number;
  readonly flakinessRate: number;
  readonly avgDurationMs: number;
  readonly failureVolume: number;
  readonly flakinessVolume: number;
  readonly durationVolume: number;
}

const NOT_RUN: readonly Outcome[] = ['pending', 'skipped'];

export function testMetrics(found: readonly TestExecution[], settings: MetricSettings): TestMetrics {
  const counted = settings.executions ?? OUTCOMES;
  const failing = settings.failureRate ?? ['failed', 'skipped'];
  const flaking = settings.flakinessRate ?? OUTCOMES;
  const timing = settings.avgDuration ?? OUTCOMES.filter((outcome) => !NOT_RUN.includes(outcome));
  const tests = found.map(({ test }) => test);
  const number = (isWanted: (test: (typeof tests)[number]) => boolean) => tests.filter(isWanted).length;
  const executions = number(({ outcome }) => counted.includes(outcome));
  const failed = number(({ outcome }) => counted.includes(outcome) && failing.includes(outcome));
  const flaky = number((test) => counted.includes(test.outcome) && flaking.includes(test.outcome) && isFlaky(test));
  const durations = tests.filter(({ outcome }) => timing.includes(outcome)).flatMap((test) => durationOf(test) ?? []);
  const duration = durations.reduce((sum, one) => sum + one, 0);
  const average = durations.length === 0 ? 0 : duration / durations.length;
  const rate = (part: number) => (executions === 0 ? 0 : part / executions);
  return {
    executions,
    passes: number(({ outcome }) => outcome === 'passed'),
    failures: number(({ outcome }) => outcome === 'failed' || outcome === 'skipped'),
    ignored: number(({ outcome }) => outcome === 'pending'),
    flaky: number(isFlaky),
    failureRate: rate(failed),
    flakinessRate: rate(flaky),
    avgDurationMs: Math.round(average),
    failureVolume: failed,
    flakinessVolume: flaky,
    durationVolume: durations.length === 0 ? 0 : (duration * executions) / durations.length,
  };
}
