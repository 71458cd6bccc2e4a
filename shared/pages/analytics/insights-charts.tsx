/** The charts of a project over time: its runs, their durations and their tests. */
import type { FileFailures } from '#shared/analytics/metrics/failures-by-file.ts';
import type { InsightMetrics } from '#shared/analytics/metrics/insights-wire.ts';
import type { Release } from '#shared/analytics/metrics/releases.ts';
import type { groupDurations } from '#shared/analytics/metrics/run-durations.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { FullTime, formatDate, formatDuration } from '#shared/pages/design/format.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { addQuery, linkToProjectPage, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import type { ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { HeatMap } from './heat-map.tsx';
import { compute95thPercentile, computeMedian } from './percentiles.ts';
import { formatBucketName, formatBucketTick, RESOLUTIONS, type Resolution } from './resolutions.ts';

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

const DURATIONS = [
  { name: 'median', tone: 'c1' },
  { name: '95 % within', tone: 'c2' },
] as const;

const BEFORE = { name: 'median of the period before', tone: 'c1', isFaint: true } as const;

const FAILED = { 'status[]': ['FAILED', 'FAILING'] };

interface Props {
  readonly visit: ProjectVisit;
  readonly period: ShownPeriod;
  readonly buckets: readonly (InsightMetrics & { readonly at: number })[];
  readonly resolution: Resolution;
  readonly durations: ReturnType<typeof groupDurations>;
  readonly durationsBefore: ReturnType<typeof groupDurations>;
  readonly releases: readonly Release[];
  readonly files: readonly FileFailures[];
}

export function Charts(props: Props): Html {
  const { visit, period, buckets, resolution, durations, durationsBefore, releases, files } = props;
  const { each, milliseconds } = RESOLUTIONS[resolution];
  const start = buckets[0]?.at ?? 0;
  const marks = releases.map(({ version, at }) => ({
    name: version,
    at: (at - start) / (buckets.length * milliseconds),
  }));
  const linkToBucketRuns = (at: number, query: Record<string, string[]> = {}) =>
    linkToRuns(visit, { ...query, ...toDates({ from: at, to: at + milliseconds }) });
  const nameBucket = (at: number) => ({
    name: formatBucketName(at, resolution),
    tick: formatBucketTick(at, resolution, buckets.length),
    href: linkToBucketRuns(at),
  });
  // Both periods have the same length, but as they need not begin with a day or a week, the previous one may touch one
  // bucket more. Its first bucket has no counterpart then.
  const bucketsBefore = durationsBefore.slice(-durations.length);
  const hasBefore = bucketsBefore.some((bucket) => bucket.durations.length > 0);
  const dates = toDates(period);
  const tests = linkToProjectPage(visit, 'tests');
  return (
    <div class="stack">
      <Panel title={`Runs ${each}`} actions={<a href={linkToRuns(visit, { ...FAILED, ...dates })}>Failed runs</a>}>
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
        actions={<a href={addQuery(tests, { order: 'durationDelta', ...dates })}>Tests that became slower</a>}
      >
        <TimeChart
          label={`Duration of complete runs ${each}`}
          kind="line"
          series={hasBefore ? [...DURATIONS, BEFORE] : DURATIONS}
          isDuration
          textOf={formatDuration}
          marks={marks}
          buckets={durations.map(({ at, durations: ofBucket }, index) => ({
            ...nameBucket(at),
            values: [
              computeMedian(ofBucket) ?? null,
              compute95thPercentile(ofBucket) ?? null,
              ...(hasBefore ? [computeMedian(bucketsBefore[index]?.durations ?? []) ?? null] : []),
            ],
          }))}
        />
      </Panel>
      <Panel
        title="Tests that failed, were flaky or did not run"
        actions={<a href={addQuery(tests, dates)}>Tests with the most failures</a>}
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
      {files.length > 0 && <HeatMap visit={visit} files={files} />}
      <Numbers buckets={buckets} resolution={resolution} />
    </div>
  );
}

const toDates = ({ from, to }: ShownPeriod) => ({
  date_start: new Date(from).toISOString(),
  date_end: new Date(to).toISOString(),
});

const Numbers = ({ buckets, resolution }: Pick<Props, 'buckets' | 'resolution'>): Html => (
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
