/** One spec file over time: its metrics and its tests. */
import type { SpecFileInTime } from '#shared/analytics/metrics/read-spec-file.ts';
import type { SpecFileRow } from '#shared/analytics/metrics/spec-files-wire.ts';
import type { TestsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { formatCount, formatDuration, formatRate } from '#shared/pages/design/format.tsx';
import { PageHead, Summary, Tile } from '#shared/pages/design/parts.tsx';
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
  specFile: { file, tests, trends },
  quarantineOf,
  now,
}: Props): Html => (
  <>
    <PageHead title={file.spec} />
    <ListFilters at={at} period={period} now={now} />
    <Metrics metrics={file.metrics} />
    <TestTable {...{ at, query, trends, quarantineOf, now }} list={tests.list} caption="Tests of this file" />
    <OffsetLinks at={at} page={query.page} shown={tests.list.length} {...tests} />
  </>
);

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
