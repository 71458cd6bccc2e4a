/** The numbers of a project in a period, compared with those of the period before. */
import type { InsightMetrics } from '#shared/analytics/metrics/insights-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatCount, formatDuration, formatPoints, formatRate } from '#shared/pages/design/format.tsx';
import { Summary, Tile } from '#shared/pages/design/parts.tsx';
import { compute95thPercentile, computeMedian } from './percentiles.ts';

interface PeriodMetrics extends InsightMetrics {
  /** Of complete runs, in milliseconds. */
  readonly durations: readonly number[];
}

interface OverallProps {
  readonly current: PeriodMetrics;
  readonly before: PeriodMetrics;
}

const formatKnownRate = (rate: number | undefined): string => (rate === undefined ? '–' : formatRate(rate));

/** Cancelled runs count neither as passed nor as failed. */
export const Overall = ({ current, before }: OverallProps): Html => {
  const { runs, tests } = current;
  const endedRuns = runs.passed + runs.failed;
  const median = getMedian(current);
  const percentile95 = compute95thPercentile(current.durations);
  return (
    <Summary>
      <Tile
        label="Runs that passed"
        value={formatKnownRate(computePassedRate(current))}
        note={
          <>
            {formatCount(runs.passed)} of {formatCount(endedRuns)}
            {runs.cancelled > 0 && `, excluding ${formatCount(runs.cancelled)} cancelled`}
            <Change of={computePassedRate} current={current} before={before} better="more" />
          </>
        }
      />
      <Tile
        label="Duration"
        value={median === undefined ? '–' : formatDuration(median)}
        note={
          <>
            median of complete runs
            {percentile95 !== undefined && `, 95 % within ${formatDuration(percentile95)}`}
            <Change of={getMedian} current={current} before={before} better="less" isDuration />
          </>
        }
      />
      <Tile
        label="Failed or not run"
        value={formatKnownRate(computeFailedRate(current))}
        note={
          <>
            {formatCount(tests.failed + tests.skipped)} of {formatCount(tests.total)} executions
            <Change of={computeFailedRate} current={current} before={before} better="less" />
          </>
        }
      />
      <Tile
        label="Flaky executions"
        value={formatKnownRate(computeFlakyRate(current))}
        note={
          <>
            {formatCount(tests.flaky)} of {formatCount(tests.total)} executions
            <Change of={computeFlakyRate} current={current} before={before} better="less" />
          </>
        }
      />
    </Summary>
  );
};

/** A metric by which two periods are compared. `undefined` if the period has no data for it. */
type ComparedMetric = (metrics: PeriodMetrics) => number | undefined;

const computeRate = (part: number, total: number): number | undefined => (total === 0 ? undefined : part / total);

const computePassedRate: ComparedMetric = ({ runs }) => computeRate(runs.passed, runs.passed + runs.failed);

const getMedian: ComparedMetric = ({ durations }) => computeMedian(durations);

const computeFailedRate: ComparedMetric = ({ tests }) => computeRate(tests.failed + tests.skipped, tests.total);

const computeFlakyRate: ComparedMetric = ({ tests }) => computeRate(tests.flaky, tests.total);

interface ChangeProps extends OverallProps {
  readonly of: ComparedMetric;
  readonly better: 'more' | 'less';
  readonly isDuration?: boolean;
}

/** Smaller changes are noise: a tenth of a percentage point, and of a duration a tenth of a second and a hundredth. */
const SMALLEST = { rate: 0.001, milliseconds: 100, part: 0.01 };
const DURATION_WORDS = { more: 'longer', less: 'shorter' };

function Change({ of, current, before, better, isDuration = false }: ChangeProps): Html {
  const now = of(current);
  const then = of(before);
  if (now === undefined || then === undefined) return <></>;
  const size = Math.abs(now - then);
  const smallest = isDuration ? Math.max(SMALLEST.milliseconds, SMALLEST.part * then) : SMALLEST.rate;
  const isSame = size < smallest;
  const way = now > then ? 'more' : 'less';
  const amount = isDuration ? formatDuration(size) : formatPoints(size);
  const word = isDuration ? DURATION_WORDS[way] : way;
  return (
    <>
      {', '}
      {isSame ? (
        'about the same as before'
      ) : (
        <span class={`word ${way === better ? 'passed' : 'failed'}`}>
          {amount} {word} than before
        </span>
      )}
    </>
  );
}
