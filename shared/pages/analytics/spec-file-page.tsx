/** One spec file over time: its metrics and its tests. */
import type { SpecFileInTime } from '#shared/analytics/metrics/read-spec-file.ts';
import type { SpecFileRow } from '#shared/analytics/metrics/spec-files-wire.ts';
import type { TestsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import {
  formatCount,
  formatDuration,
  formatQuantity,
  formatRate,
  formatShortDate,
} from '#shared/pages/design/format.tsx';
import { PageHead, Panel, Summary, Tile } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { DAY } from '#shared/pages/design/time-units.ts';
import { ListFilters } from '#shared/pages/shell/list-filters.tsx';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import type { QuarantineOf } from '#shared/rules/quarantines.ts';
import type { InTime } from './in-time.ts';
import { TestTable } from './tests-page.tsx';

interface Props extends InTime {
  readonly query: Pick<TestsQuery, 'order' | 'dir' | 'page'>;
  readonly specFile: SpecFileInTime;
  readonly quarantineOf: QuarantineOf;
}

export const SpecFilePage = ({
  at,
  query,
  period,
  specFile: { file, tests, trends, trend },
  quarantineOf,
  now,
}: Props): Html => (
  <>
    <PageHead title={file.spec} />
    <ListFilters at={at} period={period} now={now} />
    <Metrics metrics={file.metrics} />
    <FailureChart trend={trend} />
    <TestTable {...{ at, query, trends, quarantineOf, now }} list={tests.list} caption="Tests of this file" />
    <OffsetLinks at={at} page={query.page} shown={tests.list.length} {...tests} />
  </>
);

/** Nothing if no test failed. */
function FailureChart({ trend }: Pick<SpecFileInTime, 'trend'>): Html {
  if (trend.every(({ failures, flaky }) => failures + flaky === 0)) return <></>;
  const days = (trend[0]?.to ?? 0) - (trend[0]?.from ?? 0);
  return (
    <Panel
      title={days > DAY ? `Failures per ${formatQuantity(Math.round(days / DAY), 'day')}` : 'Failures per day'}
      note="executions of all tests of this file"
    >
      <TimeChart
        label="Failures"
        series={[
          { name: 'failed', tone: 'failed' },
          { name: 'flaky', tone: 'flaky' },
        ]}
        buckets={trend.map(({ from, failures, flaky }) => ({ name: formatShortDate(from), values: [failures, flaky] }))}
      />
    </Panel>
  );
}

const Metrics = ({ metrics }: Pick<SpecFileRow, 'metrics'>): Html => (
  <Summary>
    <Tile label="Executions" value={formatCount(metrics.overallExecutions)} />
    <Tile
      label="Failed"
      value={formatRate(metrics.failureRate)}
      tone={metrics.failureRate > 0 ? 'failed' : undefined}
    />
    <Tile label="Flaky" value={formatRate(metrics.flakeRate)} tone={metrics.flakeRate > 0 ? 'flaky' : undefined} />
    <Tile label="Timed out" value={formatRate(metrics.timeoutRate)} />
    <Tile label="Duration" value={metrics.avgDuration === 0 ? '–' : formatDuration(metrics.avgDuration)} />
    <Tile label="Tests" value={formatCount(metrics.suiteSize)} />
  </Summary>
);
