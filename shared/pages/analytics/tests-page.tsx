/** The tests explorer: which tests fail most, are flaky, or take the most time. */
import { may } from '#shared/access/may.ts';
import { isDeltaOrder } from '#shared/analytics/metrics/list-tests.ts';
import type { OffsetPage } from '#shared/analytics/metrics/offset-page.ts';
import type { TestSummary, TestsQuery } from '#shared/analytics/metrics/tests-wire.ts';
import type { TrendPart, Trends } from '#shared/analytics/metrics/trends.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import { MetricChange } from '#shared/pages/design/change.tsx';
import { DataTable, type TableColumn, wide } from '#shared/pages/design/data-table.tsx';
import { Ago, formatDuration, formatQuantity, formatRate, toIsoDay } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead, Tabs, TestName } from '#shared/pages/design/parts.tsx';
import { QuarantineControl } from '#shared/pages/rules/quarantine-control.tsx';
import { findParameterValue, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToProjectPage, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { LEAST_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { formatDays, getFirstDay, ListFilters, type ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import { NothingInPeriod } from '#shared/pages/shell/nothing-in-period.tsx';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import { Trend } from '#shared/pages/tests/trend.tsx';
import type { QuarantineOf } from '#shared/rules/quarantines.ts';
import type { InTime } from './in-time.ts';
import { makeSortableColumns } from './sorting.ts';

interface Props extends InTime {
  readonly query: Pick<TestsQuery, 'order' | 'dir' | 'page' | 'min_executions'>;
  readonly tests: OffsetPage<TestSummary>;
  /** Whether no matching test has enough executions for meaningful rates, so that all are listed. */
  readonly areAllRare: boolean;
  /** Total duration of all executions of all tests that match the filters, in milliseconds. */
  readonly totalTime: number;
  /** Whether tests match, but the list shows changes, and none of them ran in the preceding period. */
  readonly hasOnlyNewTests: boolean;
  /** If so, the longest shorter period for which changes are known. */
  readonly comparablePeriod: ShownPeriod | undefined;
  readonly trends: Trends;
  readonly quarantineOf: QuarantineOf;
}

export const TestsPage = (props: Props): Html => {
  const { at, query, period, tests, areAllRare, totalTime, trends, quarantineOf, now } = props;
  return (
    <>
      <PageHead
        title="Tests"
        actions={
          <a class="button quiet" href={linkToProjectPage(at.visit, 'spec-files')}>
            <Icon name="file-code" />
            Spec files
          </a>
        }
      />
      <Presets at={at} query={query} now={now} />
      <ListFilters
        hasFile
        at={at}
        period={period}
        now={now}
        search={{ name: 'title', label: 'Title of a test' }}
        own={[{ name: 'spec', label: 'Spec file', icon: 'file-code' }]}
      />
      {areAllRare && (
        <p class="soft">
          Few runs yet: none of these tests ran at least {formatQuantity(LEAST_EXECUTIONS, 'time')} in this period, so
          their rates may change quickly.
        </p>
      )}
      {tests.list.length === 0 ? (
        <Nothing {...props} />
      ) : (
        <TestTable
          at={at}
          query={query}
          list={tests.list}
          trends={trends}
          quarantineOf={quarantineOf}
          now={now}
          caption={
            <>
              {formatCaption(query, totalTime)}
              {query.min_executions > 0 && (
                <>
                  . <a href={linkWithChanges(at, { min_executions: 0 })}>Show rarely executed tests too</a>
                </>
              )}
            </>
          }
        />
      )}
      <OffsetLinks at={at} page={query.page} shown={tests.list.length} {...tests} />
    </>
  );
};

interface Preset {
  readonly name: string;
  readonly order: TestsQuery['order'];
  /** The period that the list shows with this order, unless the person has chosen one. Default: `LIST_DAYS`. */
  readonly days?: number;
}

const PRESETS: readonly Preset[] = [
  { name: 'Most failures', order: 'failRateXSamples' },
  { name: 'Flaky', order: 'flakinessXSamples' },
  { name: 'Getting worse', order: 'failureRateDelta' },
  // Over a month, total times are more meaningful than over the default period.
  { name: 'Most total time', order: 'durationXSamples', days: 30 },
  { name: 'Slowing down', order: 'durationDelta' },
];

const Presets = ({ at, query, now }: Pick<Props, 'at' | 'query' | 'now'>): Html => (
  <Tabs
    label="Sort by"
    tabs={PRESETS.map((preset) => ({
      name: preset.name,
      href: linkToPreset(at, preset, now),
      isCurrent: preset.order === query.order && query.dir === 'desc',
    }))}
  />
);

function linkToPreset(at: Props['at'], { order, days }: Preset, now: number): string {
  const changes = { order, dir: undefined };
  if (days === undefined || findParameterValue(at, 'date_start') !== undefined) return linkWithChanges(at, changes);
  return linkWithChanges(at, { ...changes, date_start: getFirstDay(days, now) });
}

const Nothing = (props: Props): Html => (props.hasOnlyNewTests ? <NoChange {...props} /> : <NoTests {...props} />);

function NoChange({ at, period, comparablePeriod }: Props): Html {
  return (
    <EmptyState icon="list-checks" title="No earlier data">
      <p>
        Changes are those since the {formatDays(period)} before this period. None of these tests ran then
        {comparablePeriod ? '.' : ', and none before a shorter period. Changes appear when they have run for longer.'}
      </p>
      {comparablePeriod && (
        <a class="button quiet" href={linkWithChanges(at, { date_start: toIsoDay(comparablePeriod.from) })}>
          Compare {formatDays(comparablePeriod)}
        </a>
      )}
    </EmptyState>
  );
}

const NoTests = ({ at }: Pick<Props, 'at'>): Html => (
  <NothingInPeriod at={at} icon="list-checks" title="No tests" noun="test" reason="No test ran in this period." />
);

function formatCaption({ min_executions: least, order }: Props['query'], totalTime: number): string {
  const tests = least > 0 ? `Tests with at least ${formatQuantity(least, 'execution')}` : 'All tests';
  const condition = isDeltaOrder(order) ? ' that also ran in the preceding period' : '';
  return `${tests}${condition}, ${formatDuration(totalTime)} in total`;
}

export const toNamedTest = ({ spec, titlePath }: Pick<TestSummary, 'spec' | 'titlePath'>) => ({
  spec,
  title: titlePath,
});

interface TableProps extends Pick<Props, 'at' | 'trends' | 'quarantineOf' | 'now'> {
  readonly query: Pick<TestsQuery, 'order' | 'dir'>;
  readonly list: readonly TestSummary[];
  readonly caption: Child;
}

export const TestTable = ({ at, query, list, trends, quarantineOf, now, caption }: TableProps): Html => (
  <DataTable
    label="Tests"
    caption={
      <>
        {caption}
        <span class="wide">
          . Failures over time, oldest on the left: failures are red, with flaky executions above them
        </span>
      </>
    }
    columns={makeColumns(at, query)}
  >
    {list.map((test) => (
      <TestLine
        {...{ at, query, test, now }}
        trend={trends.get(test.signature) ?? []}
        rule={quarantineOf(toNamedTest(test))}
      />
    ))}
  </DataTable>
);

/** Beside a change, phones have no room for these rates. */
const nameRateClass = (order: TestsQuery['order']): 'number' | 'number wide' =>
  isDeltaOrder(order) ? 'number wide' : 'number';

/** Phones show one of the two durations: the total time if the list is sorted by it, and otherwise the average. */
const isByTotal = (order: TestsQuery['order']): boolean => order === 'durationXSamples';

function makeColumns(at: Props['at'], { order, dir }: TableProps['query']): TableColumn[] {
  const column = makeSortableColumns({ at, order, dir });
  const changeColumns = isDeltaOrder(order) ? [column('Change', [order], 'number')] : [];
  const ruleColumns = may(at.visit.person, 'actions:read') ? wide('Rule') : [];
  return [
    column('Test', ['title']),
    ...changeColumns,
    column('Executions', ['executions'], 'number wide'),
    column('Failed', ['failRateXSamples', 'failures'], nameRateClass(order)),
    column('Flaky', ['flakinessXSamples', 'flakiness'], nameRateClass(order)),
    column('Duration', ['duration'], isByTotal(order) ? 'number wide' : 'number'),
    column('Total time', ['durationXSamples'], isByTotal(order) ? 'number' : 'number wide'),
    ...wide('Failures over time', 'Last seen'),
    ...ruleColumns,
  ];
}

interface LineProps extends Pick<TableProps, 'at' | 'query' | 'now'> {
  readonly test: TestSummary;
  readonly trend: readonly TrendPart[];
  /** The rule that quarantines the test. */
  readonly rule: AppliedRule | undefined;
}

const TestLine = ({ at: { visit }, query, test, trend, rule, now }: LineProps): Html => (
  <tr>
    <th scope="row">
      <TestName href={linkToTest(visit, test.signature)} title={test.titlePath} />
      <small>
        <code>{test.spec}</code>
        <span class="narrow"> · {formatQuantity(test.metrics.executions, 'execution')}</span>
      </small>
      {test.lastSeen !== null && (
        <small class="narrow line">
          last seen <Ago at={test.lastSeen} now={now} />
        </small>
      )}
    </th>
    {isDeltaOrder(query.order) && (
      <td class="number">
        <MetricChange order={query.order} metrics={test.metrics} />
      </td>
    )}
    <td class="number wide">{test.metrics.executions}</td>
    <td class={nameRateClass(query.order)}>
      <Share
        rate={test.metrics.failureRate}
        count={test.metrics.failureVolume}
        isByCount={query.order === 'failRateXSamples'}
      />
    </td>
    <td class={nameRateClass(query.order)}>
      <Share
        rate={test.metrics.flakinessRate}
        count={test.metrics.flakinessVolume}
        isByCount={query.order === 'flakinessXSamples'}
      />
    </td>
    <td class={isByTotal(query.order) ? 'number wide' : 'number'}>{formatDuration(test.metrics.avgDurationMs)}</td>
    <td class={isByTotal(query.order) ? 'number' : 'number wide'}>{formatDuration(test.metrics.durationVolume)}</td>
    <td class="wide">
      <Trend parts={trend} />
    </td>
    <td class="wide">{test.lastSeen === null ? '–' : <Ago at={test.lastSeen} now={now} />}</td>
    {may(visit.person, 'actions:read') && (
      <td class="wide">
        <QuarantineControl visit={visit} test={toNamedTest(test)} rule={rule} look="icon" now={now} />
      </td>
    )}
  </tr>
);

interface ShareProps {
  readonly rate: number;
  readonly count: number;
  /** Whether the list is sorted by the count, which then comes first. */
  readonly isByCount?: boolean;
}

export function Share({ rate, count, isByCount = false }: ShareProps): Html {
  const times = `${Math.round(count)} ×`;
  const [first, second] = isByCount ? [times, formatRate(rate)] : [formatRate(rate), times];
  return (
    <>
      {first}
      {count > 0 && (
        <>
          <br />
          <small>{second}</small>
        </>
      )}
    </>
  );
}
