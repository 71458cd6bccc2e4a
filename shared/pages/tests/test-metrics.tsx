/** The metrics of one test, with their change since the previous period. */
import type { TestSummary } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { MetricChange } from '#shared/pages/design/change.tsx';
import { countText, dateText, durationText, rateText } from '#shared/pages/design/format.tsx';
import type { ShownPeriod } from '#shared/pages/shell/list-filters.tsx';

interface Props {
  readonly test: TestSummary;
  readonly period: ShownPeriod;
}

export const MetricsOfTest = ({ test: { metrics }, period: { from, to } }: Props): Html => (
  <section aria-labelledby="metrics">
    <h2 id="metrics" class="small">
      {dateText(from)} to {dateText(to - 1)}, all branches, compared with the previous period
    </h2>
    <dl class="facts">
      <div>
        <dt>Executions</dt>
        <dd>{countText(metrics.executions)}</dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd>
          {rateText(metrics.failureRate)} <MetricChange order="failureRateDelta" metrics={metrics} isShort />
        </dd>
      </div>
      <div>
        <dt>Flaky</dt>
        <dd>
          {rateText(metrics.flakinessRate)} <MetricChange order="flakinessRateDelta" metrics={metrics} isShort />
        </dd>
      </div>
      <div>
        <dt>Duration</dt>
        <dd>
          {durationText(metrics.avgDurationMs)} <MetricChange order="durationDelta" metrics={metrics} isShort />
        </dd>
      </div>
    </dl>
  </section>
);
