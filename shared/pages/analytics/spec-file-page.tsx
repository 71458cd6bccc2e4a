/** One spec file over time: its metrics and its tests. */
import type { SpecFileInTime } from '#shared/analytics/metrics/read-spec-file.ts';
import type { SpecFileRow } from '#shared/analytics/metrics/spec-files-wire.ts';
import type { TestsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { countText, durationText, rateText } from '#shared/pages/design/format.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { ListFilters, type ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { TestTable } from './tests-page.tsx';

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly query: Pick<TestsQuery, 'order' | 'dir' | 'page'>;
  readonly period: ShownPeriod;
  readonly found: SpecFileInTime;
  readonly now: number;
}

export const SpecFilePage = ({ at, query, period, found: { file, tests, trends }, now }: Props): Html => (
  <>
    <h1>{file.spec}</h1>
    <ListFilters at={at} period={period} />
    <Metrics metrics={file.metrics} />
    <TestTable at={at} query={query} list={tests.list} trends={trends} now={now} caption="Tests of this file" />
    <OffsetLinks at={at} page={query.page} shown={tests.list.length} total={tests.total} nextPage={tests.nextPage} />
  </>
);

const Metrics = ({ metrics }: Pick<SpecFileRow, 'metrics'>): Html => (
  <dl class="facts">
    <Fact name="Executions" text={countText(metrics.overallExecutions)} />
    <Fact name="Failed" text={rateText(metrics.failureRate)} />
    <Fact name="Flaky" text={rateText(metrics.flakeRate)} />
    <Fact name="Timed out" text={rateText(metrics.timeoutRate)} />
    <Fact name="Most tests" text={countText(metrics.suiteSize)} />
    <Fact name="Duration" text={metrics.avgDuration === 0 ? '–' : durationText(metrics.avgDuration)} />
  </dl>
);

const Fact = ({ name, text }: { readonly name: string; readonly text: string }): Html => (
  <div>
    <dt>{name}</dt>
    <dd>{text}</dd>
  </div>
);
