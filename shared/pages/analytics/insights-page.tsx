/** A project over time: its runs, their durations and their tests. */
import type { InsightMetrics, Insights } from '#shared/analytics/metrics/insights-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import {
  FullTime,
  formatCount,
  formatDate,
  formatDuration,
  formatFullTime,
  formatPoints,
  formatRate,
  formatShortDate,
} from '#shared/pages/design/format.tsx';
import { EmptyState, PageHead, Panel, Segments, Summary, Tile } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToProjectPage, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { ARRIVAL, ListFilters } from '#shared/pages/shell/list-filters.tsx';
import type { InTime } from './in-time.ts';

const RESOLUTIONS = {
  '1h': { name: 'Hours', each: 'per hour', hours: 1 },
  '1d': { name: 'Days', each: 'per day', hours: 24 },
  '1w': { name: 'Weeks', each: 'per week', hours: 7 * 24 },
} as const;
type Resolution = keyof typeof RESOLUTIONS;

interface Props extends InTime {
  readonly resolution: Resolution;
  readonly results: Insights['results'];
  /** The metrics of the preceding period of the same length. */
  readonly before: InsightMetrics;
}

export function InsightsPage({ at, resolution, period, results, before, now }: Props): Html {
  const buckets = Object.entries(results.timeline)
    .map(([start, metrics]) => ({ at: Number(start), ...metrics }))
    .sort((one, other) => one.at - other.at);
  return (
    <>
      <PageHead
        title="Insights"
        actions={
          <Segments
            label="Resolution"
            choices={Object.entries(RESOLUTIONS).map(([one, { name }]) => ({
              name,
              href: linkWithChanges(at, { resolution: one }),
              isCurrent: one === resolution,
            }))}
          />
        }
      />
      <ListFilters
        at={at}
        period={period}
        now={now}
        own={[{ name: 'environments[]', label: 'Environment', icon: 'monitor' }]}
      />
      <Overall current={results.overall} before={before} />
      {results.overall.runs.total === 0 ? (
        <EmptyState icon="chart-column" title="No runs">
          <p>There are no runs in this period, or none that match the filters. {ARRIVAL}</p>
        </EmptyState>
      ) : (
        <Charts at={at} buckets={buckets} resolution={resolution} />
      )}
    </>
  );
}

interface OverallProps {
  readonly current: InsightMetrics;
  readonly before: InsightMetrics;
}

/** Cancelled runs count neither as passed nor as failed. */
const Overall = ({ current, before }: OverallProps): Html => {
  const { runs, tests } = current;
  const endedRuns = runs.passed + runs.failed;
  return (
    <Summary>
      <Tile
        label="Runs that passed"
        value={endedRuns === 0 ? '–' : formatRate(runs.passed / endedRuns)}
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
        value={runs.avgDurationSeconds === 0 ? '–' : formatDuration(runs.avgDurationSeconds * 1000)}
        note={
          <>
            average of complete runs
            <Change of={getAverageSeconds} current={current} before={before} better="less" isDuration />
          </>
        }
      />
      <Tile
        label="Failed or not run"
        value={formatRate(computeShare(tests.failed + tests.skipped, tests.total))}
        note={
          <>
            {formatCount(tests.failed + tests.skipped)} of {formatCount(tests.total)} executions
            <Change of={computeFailedRate} current={current} before={before} better="less" />
          </>
        }
      />
      <Tile
        label="Flaky tests"
        value={formatRate(computeShare(tests.flaky, tests.total))}
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
type ComparedMetric = (metrics: InsightMetrics) => number | undefined;
const computeRate = (part: number, total: number): number | undefined => (total === 0 ? undefined : part / total);
const computePassedRate: ComparedMetric = ({ runs }) => computeRate(runs.passed, runs.passed + runs.failed);
const getAverageSeconds: ComparedMetric = ({ runs }) =>
  runs.avgDurationSeconds === 0 ? undefined : runs.avgDurationSeconds;
const computeFailedRate: ComparedMetric = ({ tests }) => computeRate(tests.failed + tests.skipped, tests.total);
const computeFlakyRate: ComparedMetric = ({ tests }) => computeRate(tests.flaky, tests.total);

interface ChangeProps extends OverallProps {
  readonly of: ComparedMetric;
  readonly better: 'more' | 'less';
  readonly isDuration?: boolean;
}

/** Changes below a tenth of a percentage point, or below a tenth of a second, are noise and are not shown. */
const SMALLEST = { rate: 0.001, seconds: 0.1 };

function Change({ of, current, before, better, isDuration = false }: ChangeProps): Html {
  const [now, then] = [of(current), of(before)];
  if (now === undefined || then === undefined) return <></>;
  const size = Math.abs(now - then);
  const isSame = size < (isDuration ? SMALLEST.seconds : SMALLEST.rate);
  const way = now > then ? 'more' : 'less';
  const amount = isDuration ? formatDuration(size * 1000) : formatPoints(size);
  return (
    <>
      {', '}
      {isSame ? (
        'same as in the period before'
      ) : (
        <span class={`word ${way === better ? 'passed' : 'failed'}`}>
          {amount} {isDuration ? (way === 'more' ? 'longer' : 'shorter') : way} than before
        </span>
      )}
    </>
  );
}

const computeShare = (part: number, total: number): number => (total === 0 ? 0 : part / total);

const RUNS = [
  { tone: 'failed', name: 'failed' },
  { tone: 'skipped', name: 'cancelled' },
  { tone: 'passed', name: 'passed' },
] as const;
const TESTS = [
  { tone: 'failed', name: 'failed' },
  { tone: 'flaky', name: 'flaky' },
  { tone: 'skipped', name: 'not run' },
] as const;

interface ChartsProps extends Pick<Props, 'at' | 'resolution'> {
  readonly buckets: readonly (InsightMetrics & { readonly at: number })[];
}

const HOUR_MILLISECONDS = 3_600_000;

function Charts({ at: here, buckets, resolution }: ChartsProps): Html {
  const { each, hours } = RESOLUTIONS[resolution];
  const linkToBucketRuns = (at: number, query: Record<string, string | readonly string[]> = {}) =>
    linkToRuns(here.visit, {
      ...query,
      date_start: new Date(at).toISOString(),
      date_end: new Date(at + hours * HOUR_MILLISECONDS).toISOString(),
    });
  return (
    <div class="stack">
      <Panel title={`Runs ${each}`} actions={<a href={linkToRuns(here.visit, FAILED)}>Failed runs</a>}>
        <TimeChart
          label={`Runs ${each}`}
          series={RUNS}
          buckets={buckets.map(({ at, runs }) => ({
            name: formatBucketName(at, resolution),
            values: [runs.failed, runs.cancelled, runs.passed],
            href: linkToBucketRuns(at),
          }))}
        />
      </Panel>
      <Panel title="Duration" note="average of complete runs">
        <TimeChart
          label="Average duration of complete runs"
          kind="line"
          series={[{ name: 'duration', tone: 'c1' }]}
          textOf={formatDuration}
          buckets={buckets.map(({ at, runs }) => ({
            name: formatBucketName(at, resolution),
            values: [runs.avgDurationSeconds === 0 ? null : runs.avgDurationSeconds * 1000],
            href: linkToBucketRuns(at),
          }))}
        />
      </Panel>
      <Panel
        title="Tests that failed, were flaky or did not run"
        actions={<a href={linkToProjectPage(here.visit, 'tests')}>Tests with the most failures</a>}
      >
        <TimeChart
          label={`Test executions ${each}`}
          series={TESTS}
          buckets={buckets.map(({ at, tests }) => ({
            name: formatBucketName(at, resolution),
            values: [tests.failed, tests.flaky, tests.skipped],
            href: linkToBucketRuns(at, FAILED),
          }))}
        />
      </Panel>
      <Numbers buckets={buckets} resolution={resolution} />
    </div>
  );
}

const FAILED = { 'status[]': ['FAILED', 'FAILING'] };

const formatBucketName = (at: number, resolution: Resolution): string =>
  resolution === '1h' ? formatFullTime(at) : formatShortDate(at);

const Numbers = ({ buckets, resolution }: Omit<ChartsProps, 'at'>): Html => (
  <details>
    <summary>All numbers</summary>
    <DataTable
      label="All numbers"
      caption={`Runs and tests ${RESOLUTIONS[resolution].each}, in UTC`}
      columns={[
        'From',
        ...numbers('Runs', 'Failed'),
        ...wideNumbers('Cancelled', 'Timed out', 'Duration', 'Tests'),
        ...numbers('Failed tests', 'Flaky'),
        ...wideNumbers('Not run'),
      ]}
    >
      {buckets.map(({ at, runs, tests }) => (
        <tr>
          <th scope="row">{resolution === '1h' ? <FullTime at={at} /> : formatDate(at)}</th>
          <td class="number">{runs.total}</td>
          <td class="number">{runs.failed}</td>
          <td class="number wide">{runs.cancelled}</td>
          <td class="number wide">{runs.timeouts}</td>
          <td class="number wide">
            {runs.avgDurationSeconds === 0 ? '–' : formatDuration(runs.avgDurationSeconds * 1000)}
          </td>
          <td class="number wide">{tests.total}</td>
          <td class="number">{tests.failed}</td>
          <td class="number">{tests.flaky}</td>
          <td class="number wide">{tests.skipped}</td>
        </tr>
      ))}
    </DataTable>
  </details>
);
