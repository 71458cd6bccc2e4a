/** A project over time: its runs, their durations and their tests. */
import {
  computePercentile,
  type FileFailures,
  type groupDurations,
  type Release,
} from '#shared/analytics/metrics/insights.ts';
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
import { EmptyState, Notice, PageHead, Panel, Segments, Summary, Tile } from '#shared/pages/design/parts.tsx';
import { TimeAxis, TimeChart } from '#shared/pages/design/time-chart.tsx';
import { linkWithChanges } from '#shared/pages/shell/here.ts';
import { addQuery, linkToProjectPage, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { HOURLY_DAYS } from '#shared/pages/shell/limits.ts';
import { ARRIVAL, getFirstDay, ListFilters } from '#shared/pages/shell/list-filters.tsx';
import { DAY_MILLISECONDS } from '#shared/pages/shell/list-period.ts';
import type { InTime } from './in-time.ts';

const RESOLUTIONS = {
  '1h': { name: 'Hours', each: 'per hour', hours: 1 },
  '1d': { name: 'Days', each: 'per day', hours: 24 },
  '1w': { name: 'Weeks', each: 'per week', hours: 7 * 24 },
} as const;
type Resolution = keyof typeof RESOLUTIONS;

interface Props extends InTime {
  readonly resolution: Resolution;
  /** Whether hours were requested for a period that is too long for them. */
  readonly areHoursRefused: boolean;
  readonly results: Insights['results'];
  readonly durations: Durations;
  /** The metrics of the preceding period of the same length. */
  readonly before: InsightMetrics;
  readonly durationsBefore: Durations;
  readonly releases: readonly Release[];
  /** The spec files with the most failures. */
  readonly files: readonly FileFailures[];
}

type Durations = ReturnType<typeof groupDurations>;

export function InsightsPage(props: Props): Html {
  const { at, resolution, areHoursRefused, period, results, before, now } = props;
  const isTooLongForHours = period.to - period.from > HOURLY_DAYS * DAY_MILLISECONDS;
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
              href: linkWithChanges(at, {
                resolution: one,
                ...(one === '1h' &&
                  isTooLongForHours && { date_start: getFirstDay(HOURLY_DAYS, now), date_end: undefined }),
              }),
              isCurrent: one === resolution,
            }))}
          />
        }
      />
      <ListFilters
        hasFile
        at={at}
        period={period}
        now={now}
        own={[{ name: 'environments[]', label: 'Environment', icon: 'monitor' }]}
      />
      {areHoursRefused && (
        <Notice>Hours are shown for periods of at most {HOURLY_DAYS} days. This page shows days.</Notice>
      )}
      <Overall
        current={{ ...results.overall, durations: props.durations.flatMap(({ durations }) => durations) }}
        before={{ ...before, durations: props.durationsBefore.flatMap(({ durations }) => durations) }}
      />
      {results.overall.runs.total === 0 ? (
        <EmptyState icon="chart-column" title="No runs">
          <p>There are no runs in this period, or none that match the filters. {ARRIVAL}</p>
        </EmptyState>
      ) : (
        <Charts {...props} buckets={buckets} />
      )}
    </>
  );
}

interface PeriodMetrics extends InsightMetrics {
  /** Of complete runs, in milliseconds. */
  readonly durations: readonly number[];
}

interface OverallProps {
  readonly current: PeriodMetrics;
  readonly before: PeriodMetrics;
}

const MEDIAN = 0.5;
const SLOW = 0.95;

/** Cancelled runs count neither as passed nor as failed. */
const Overall = ({ current, before }: OverallProps): Html => {
  const { runs, tests } = current;
  const endedRuns = runs.passed + runs.failed;
  const median = getMedian(current);
  const percentile95 = computePercentile(current.durations, SLOW);
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
type ComparedMetric = (metrics: PeriodMetrics) => number | undefined;
const computeRate = (part: number, total: number): number | undefined => (total === 0 ? undefined : part / total);
const computePassedRate: ComparedMetric = ({ runs }) => computeRate(runs.passed, runs.passed + runs.failed);
const getMedian: ComparedMetric = ({ durations }) => computePercentile(durations, MEDIAN);
const computeFailedRate: ComparedMetric = ({ tests }) => computeRate(tests.failed + tests.skipped, tests.total);
const computeFlakyRate: ComparedMetric = ({ tests }) => computeRate(tests.flaky, tests.total);

interface ChangeProps extends OverallProps {
  readonly of: ComparedMetric;
  readonly better: 'more' | 'less';
  readonly isDuration?: boolean;
}

/** Changes below a tenth of a percentage point, or below a tenth of a second, are noise and are not shown. */
const SMALLEST = { rate: 0.001, milliseconds: 100 };

function Change({ of, current, before, better, isDuration = false }: ChangeProps): Html {
  const [now, then] = [of(current), of(before)];
  if (now === undefined || then === undefined) return <></>;
  const size = Math.abs(now - then);
  const isSame = size < (isDuration ? SMALLEST.milliseconds : SMALLEST.rate);
  const way = now > then ? 'more' : 'less';
  const amount = isDuration ? formatDuration(size) : formatPoints(size);
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

interface ChartsProps
  extends Pick<Props, 'at' | 'period' | 'resolution' | 'durations' | 'durationsBefore' | 'releases' | 'files'> {
  readonly buckets: readonly (InsightMetrics & { readonly at: number })[];
}

const HOUR_MILLISECONDS = 3_600_000;

function Charts(props: ChartsProps): Html {
  const { at: here, period, buckets, resolution, durations, durationsBefore, releases, files } = props;
  const { each, hours } = RESOLUTIONS[resolution];
  const milliseconds = hours * HOUR_MILLISECONDS;
  const linkToBucketRuns = (at: number, query: Record<string, string | readonly string[]> = {}) =>
    linkToRuns(here.visit, {
      ...query,
      date_start: new Date(at).toISOString(),
      date_end: new Date(at + milliseconds).toISOString(),
    });
  const start = buckets[0]?.at ?? 0;
  const marks = releases.map(({ version, at }) => ({
    name: version,
    at: (at - start) / (buckets.length * milliseconds),
  }));
  const nameBucket = (at: number) => ({
    name: formatBucketName(at, resolution),
    tick: formatBucketTick(at, resolution, buckets.length),
    href: linkToBucketRuns(at),
  });
  const bucketsBefore = durationsBefore.slice(-durations.length);
  return (
    <div class="stack">
      <Panel title={`Runs ${each}`} actions={<a href={linkToRuns(here.visit, FAILED)}>Failed runs</a>}>
        <TimeChart
          label={`Runs ${each}`}
          series={RUNS}
          marks={marks}
          buckets={buckets.map(({ at, runs }) => ({
            ...nameBucket(at),
            values: [runs.failed, runs.cancelled, runs.passed],
          }))}
        />
      </Panel>
      <Panel
        title="Duration"
        note="of complete runs. With few runs, 95 % of them are all"
        actions={
          <a
            href={addQuery(linkToProjectPage(here.visit, 'tests'), {
              order: 'durationDelta',
              date_start: new Date(period.from).toISOString(),
              date_end: new Date(period.to).toISOString(),
            })}
          >
            Tests that became slower
          </a>
        }
      >
        <TimeChart
          label={`Duration of complete runs ${each}`}
          kind="line"
          series={DURATIONS}
          isDuration
          textOf={formatDuration}
          marks={marks}
          buckets={durations.map(({ at, durations: ofBucket }, index) => ({
            ...nameBucket(at),
            values: [
              computePercentile(ofBucket, MEDIAN) ?? null,
              computePercentile(ofBucket, SLOW) ?? null,
              computePercentile(bucketsBefore[index]?.durations ?? [], MEDIAN) ?? null,
            ],
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
          marks={marks}
          buckets={buckets.map(({ at, tests }) => ({
            ...nameBucket(at),
            values: [tests.failed, tests.flaky, tests.skipped],
            href: linkToBucketRuns(at, FAILED),
          }))}
        />
      </Panel>
      {files.length > 0 && <HeatMap at={here} files={files} />}
      <Numbers buckets={buckets} resolution={resolution} />
    </div>
  );
}

const DURATIONS = [
  { name: 'median', tone: 'c1' },
  { name: '95 % within', tone: 'c2' },
  { name: 'median of the period before', tone: 'c1', isFaint: true },
] as const;

const HEAT_LEVELS = 4;
const HEAT_HEIGHT = 18;

/** A row per spec file and a column per day. A darker field has more failures, and the row says the numbers. */
const HeatMap = ({ at, files }: Pick<Props, 'at' | 'files'>): Html => {
  const most = Math.max(...files.flatMap(({ days }) => days.map(({ value }) => value)));
  const days = files[0]?.days ?? [];
  return (
    <Panel
      title="Where tests fail"
      note="failed and flaky executions with an error, by spec file and day"
      actions={<a href={linkToProjectPage(at.visit, 'spec-files')}>Spec files</a>}
    >
      <ul class="heat">
        {files.map((file) => (
          <li>
            <a href={linkToProjectPage(at.visit, 'spec-files', file.specSignature)} title={file.specFile}>
              {file.specFile}
            </a>
            <svg class="chart" height={HEAT_HEIGHT} role="img" aria-label={describeHeat(file)}>
              {file.days.map(({ at: day, value }, index) => (
                <rect
                  class={`heat-${Math.ceil((HEAT_LEVELS * value) / most)}`}
                  x={`${((100 * index) / file.days.length).toFixed(2)}%`}
                  width={`${(90 / file.days.length).toFixed(2)}%`}
                  height={HEAT_HEIGHT}
                  rx="2"
                >
                  <title>
                    {formatShortDate(day)}: {formatCount(value)}
                  </title>
                </rect>
              ))}
            </svg>
            <span class="number">{formatCount(file.count)}</span>
          </li>
        ))}
        <li aria-hidden="true">
          <span />
          <TimeAxis ticks={days.map(({ at: day }) => formatShortDate(day))} />
          <span />
        </li>
      </ul>
    </Panel>
  );
};

const describeHeat = ({ days }: FileFailures): string =>
  days.flatMap(({ at, value }) => (value > 0 ? `${formatCount(value)} on ${formatShortDate(at)}` : [])).join(', ');

const FAILED = { 'status[]': ['FAILED', 'FAILING'] };

const formatBucketName = (at: number, resolution: Resolution): string => {
  if (resolution === '1h') return formatFullTime(at);
  return resolution === '1w' ? `week of ${formatShortDate(at)}` : formatShortDate(at);
};

/** With more hours than this, the axis names days, each below its first hour. */
const MOST_HOURS = 48;
const HOURS_BETWEEN = 6;

function formatBucketTick(at: number, resolution: Resolution, count: number): string {
  const hour = new Date(at).getUTCHours();
  if (resolution !== '1h' || hour === 0) return formatShortDate(at);
  return count <= MOST_HOURS && hour % HOURS_BETWEEN === 0 ? `${hour}:00` : '';
}

const Numbers = ({ buckets, resolution }: Pick<ChartsProps, 'buckets' | 'resolution'>): Html => (
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
