/** The spec files of a project over time. */
import type { OffsetPage } from '#shared/analytics/metrics/offset-page.ts';
import type { SpecFileRow, SpecFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, type TableColumn } from '#shared/pages/design/data-table.tsx';
import { formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { PageHead } from '#shared/pages/design/parts.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { linkToProjectPage } from '#shared/pages/shell/hrefs.ts';
import { ListFilters } from '#shared/pages/shell/list-filters.tsx';
import { NothingInPeriod } from '#shared/pages/shell/nothing-in-period.tsx';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import type { InTime } from './in-time.ts';
import { makeSortableColumns } from './sorting.ts';
import { Share } from './tests-page.tsx';

interface Props extends InTime {
  readonly query: Pick<SpecFilesQuery, 'order' | 'dir' | 'page'>;
  readonly specs: OffsetPage<SpecFileRow>;
}

export const SpecFilesPage = ({ at, query, period, specs, now }: Props): Html => (
  <>
    <PageHead title="Spec files" />
    <ListFilters at={at} period={period} now={now} search={{ name: 'specNameFilter', label: 'Spec file' }} />
    {specs.list.length === 0 ? (
      <NothingInPeriod
        {...{ at, icon: 'file-code', title: 'No spec files', noun: 'spec file' }}
        reason="No spec file ran in this period."
      />
    ) : (
      <DataTable
        label="Spec files"
        caption="Executions of each spec file. Durations exclude executions with failures"
        columns={makeColumns(at, query)}
      >
        {specs.list.map((spec) => (
          <SpecLine at={at} spec={spec} />
        ))}
      </DataTable>
    )}
    <OffsetLinks at={at} page={query.page} shown={specs.list.length} {...specs} />
  </>
);

const makeColumns = (at: Here, { order, dir }: Props['query']): TableColumn[] => {
  const column = makeSortableColumns({ at, order, dir });
  return [
    'Spec file',
    column('Executions', ['overallExecutions'], 'number wide'),
    column('Failed', ['failureRate', 'failedExecutions'], 'number'),
    column('Flaky', ['flakeRate', 'flakyExecutions'], 'number'),
    column('Timed out', ['timeoutRate', 'timeoutExecutions'], 'number wide'),
    column('Tests', ['suiteSize'], 'number wide'),
    column('Duration', ['avgDuration'], 'number'),
  ];
};

const SpecLine = ({
  at,
  spec: { spec, signature, metrics },
}: Pick<Props, 'at'> & { readonly spec: SpecFileRow }): Html => (
  <tr>
    <th scope="row">
      <a class="test-name" href={linkToProjectPage(at.visit, 'spec-files', signature)}>
        {spec}
      </a>
      <small class="narrow line">
        {formatQuantity(metrics.overallExecutions, 'execution')} · {formatQuantity(metrics.suiteSize, 'test')}
      </small>
    </th>
    <td class="number wide">{metrics.overallExecutions}</td>
    <td class="number">
      <Share rate={metrics.failureRate} count={metrics.failedExecutions} />
    </td>
    <td class="number">
      <Share rate={metrics.flakeRate} count={metrics.flakyExecutions} />
    </td>
    <td class="number wide">
      <Share rate={metrics.timeoutRate} count={metrics.timeoutExecutions} />
    </td>
    <td class="number wide">{metrics.suiteSize}</td>
    <td class="number">{metrics.avgDuration === 0 ? '–' : formatDuration(metrics.avgDuration)}</td>
  </tr>
);
