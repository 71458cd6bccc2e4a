/** The change of a metric compared with the preceding period of the same length. */
import type { TestSummary, TestsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatDuration, formatPoints } from './format.tsx';

interface Props {
  readonly order: TestsQuery['order'];
  readonly metrics: TestSummary['metrics'];
  /** Whether to show nothing if the change is unknown or too small. */
  readonly isShort?: boolean;
}

/** Changes of less than one percentage point of a rate, or one percent of a duration, are noise. */
const SMALLEST = 0.01;

export function MetricChange({ order, metrics, isShort = false }: Props): Html {
  const { durationDelta, failureRateDelta, flakinessRateDelta, avgDurationMs } = metrics;
  const isDuration = order === 'durationDelta';
  const rate = order === 'failureRateDelta' ? failureRateDelta : flakinessRateDelta;
  const value = isDuration ? durationDelta : rate;
  if (value == null) return isShort ? <span hidden /> : <span class="soft">no earlier data</span>;
  const size = Math.abs(value);
  if (isShort && size < SMALLEST * (isDuration ? avgDurationMs : 1)) return <span hidden />;
  return (
    <>
      {value < 0 ? '−' : '+'}
      {isDuration ? formatDuration(size) : formatPoints(size)}{' '}
      <small>{value === 0 ? 'unchanged' : WORDS[isDuration ? 'duration' : 'rate'][value > 0 ? 'more' : 'less']}</small>
    </>
  );
}

const WORDS = {
  duration: { more: 'slower', less: 'faster' },
  rate: { more: 'worse', less: 'better' },
} as const;
