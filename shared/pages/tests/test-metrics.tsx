/** The metrics of one test, and how each has changed since the previous period. */
import type { TestSummary } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { MetricChange } from '#shared/pages/design/change.tsx';
import { countText, dateText, durationText, rateText } from '#shared/pages/design/format.tsx';
import { Summary, Tile } from '#shared/pages/design/parts.tsx';
import type { ShownPeriod } from '#shared/pages/shell/list-filters.tsx';

interface Props {
  readonly test: TestSummary;
  readonly period: ShownPeriod;
}

export const MetricsOfTest = ({ test: { metrics }, period: { from, to } }: Props): Html => (
  <Summary
    below={
      <p class="soft">
        {dateText(from)} to {dateText(to - 1)}, all branches, compared with the previous period
      </p>
    }
  >
    <Tile label="Executions" value={countText(metrics.executions)} />
    <Tile
      label="Failed"
      value={rateText(metrics.failureRate)}
      tone={metrics.failureRate > 0 ? 'failed' : undefined}
      note={<MetricChange order="failureRateDelta" metrics={metrics} isShort />}
    />
    <Tile
      label="Flaky"
      value={rateText(metrics.flakinessRate)}
      tone={metrics.flakinessRate > 0 ? 'flaky' : undefined}
      note={<MetricChange order="flakinessRateDelta" metrics={metrics} isShort />}
    />
    <Tile
      label="Duration"
      value={durationText(metrics.avgDurationMs)}
      note={<MetricChange order="durationDelta" metrics={metrics} isShort />}
    />
    <Tile label="Total time" value={durationText(metrics.durationVolume)} />
  </Summary>
);
