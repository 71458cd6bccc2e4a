/** Lists the errors of a project, so that people find the errors that break the most tests. */
import type { ErrorRow, ErrorsQuery, ErrorsTimeline } from '#shared/analytics/metrics/errors-wire.ts';
import type { OffsetPage } from '#shared/analytics/metrics/offset-page.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, type TableColumn, wide } from '#shared/pages/design/data-table.tsx';
import { DayBars } from '#shared/pages/design/day-bars.tsx';
import { Ago, formatShortDate } from '#shared/pages/design/format.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import type { FilterField } from '#shared/pages/shell/filter-menu.tsx';
import { type Here, pickParameters } from '#shared/pages/shell/here.ts';
import { linkToError } from '#shared/pages/shell/hrefs.ts';
import { ListFilters } from '#shared/pages/shell/list-filters.tsx';
import { NothingInPeriod } from '#shared/pages/shell/nothing-in-period.tsx';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import type { IssueLookup } from '#shared/results/failures/known-issues.ts';
import {
  type ErrorKey,
  type ErrorNames,
  findErrorIssues,
  formatErrorKind,
  formatErrorTitle,
  isSameError,
} from './error-names.ts';
import type { InTime } from './in-time.ts';
import { makeSortableColumns } from './sorting.ts';

interface Props extends InTime {
  readonly query: Pick<ErrorsQuery, 'order_by' | 'dir' | 'page'>;
  readonly errors: OffsetPage<ErrorRow> & { readonly timeline: ErrorsTimeline; readonly note?: string | undefined };
  /** The errors of the preceding period of the same length, to tell which ones are new. */
  readonly before: readonly ErrorRow[];
  readonly issuesBy: IssueLookup;
}

const ERROR_FILTERS: readonly FilterField[] = [
  { name: 'error_target', label: 'Target', icon: 'search' },
  { name: 'error_action', label: 'Action', icon: 'circle-play' },
  { name: 'error_category', label: 'Category', icon: 'bug' },
];

export const ErrorsPage = ({ at, query, period, errors, before, issuesBy, now }: Props): Html => (
  <>
    <PageHead title="Errors" />
    <ListFilters
      hasFile
      at={at}
      period={period}
      now={now}
      search={{ name: 'error_message', label: 'Message of an error' }}
      own={ERROR_FILTERS}
    />
    {errors.note !== undefined && <p class="soft">{errors.note}</p>}
    {errors.list.length === 0 ? (
      <NothingInPeriod at={at} icon="bug" title="No errors" noun="error" reason="No test failed in this period." />
    ) : (
      <>
        <ErrorChart timeline={errors.timeline} />
        <DataTable
          label="Errors"
          caption="Occurrences are failed and flaky executions. Errors that differ only in ids, numbers and values count as the same error"
          columns={makeColumns(at, query)}
        >
          {errors.list.map((error) => (
            <ErrorLine {...{ at, error, issuesBy, before, now }} timeline={errors.timeline} />
          ))}
        </DataTable>
      </>
    )}
    <OffsetLinks at={at} page={query.page} shown={errors.list.length} {...errors} />
  </>
);

/** The maximum number of errors in the chart. With more errors, the parts of a bar would be too thin to tell apart. */
const ERRORS_IN_CHART = 5;

const NAME_CHARACTERS = 60;

/** A chart of the most frequent errors per day. By default, the table of errors begins with the same errors. */
function ErrorChart({ timeline }: { readonly timeline: ErrorsTimeline }): Html {
  const days = Object.entries(timeline)
    .map(([day, errors]) => ({ day: Number(day), errors: errors.slice(0, ERRORS_IN_CHART) }))
    .sort((one, other) => one.day - other.day);
  // Each day lists the same errors in the same order.
  const names = listDistinctNames(days[0]?.errors ?? []);
  if (names.length === 0) return <></>;
  return (
    <Panel title="Errors per day" note={names.length > 1 ? `the ${names.length} most frequent` : undefined}>
      <TimeChart
        label="Errors per day"
        series={names.map((name, rank) => ({ name, tone: `c${rank + 1}` }))}
        buckets={days.map(({ day, errors }) => ({
          name: formatShortDate(day),
          values: errors.map(({ value }) => value),
        }))}
      />
    </Panel>
  );
}

/** Errors with the same title get what the title leaves out as well. */
function listDistinctNames(errors: readonly ErrorNames[]): string[] {
  const titles = errors.map(formatErrorTitle);
  return errors.map((error, index) => {
    const title = titles[index] ?? '';
    const isShared = titles.indexOf(title) !== titles.lastIndexOf(title);
    return isShared ? `${shorten(title)} (${formatErrorKind(error)})` : shorten(title);
  });
}

const shorten = (text: string): string => (text.length > NAME_CHARACTERS ? `${text.slice(0, NAME_CHARACTERS)}…` : text);

const makeColumns = (at: Here, { order_by: order, dir }: Props['query']): TableColumn[] => {
  const column = makeSortableColumns({ at, parameter: 'order_by', order, dir });
  return [
    column('Error', ['error']),
    column('Occurrences', ['count'], 'number'),
    column('Tests', ['tests'], 'number'),
    column('Branches', ['branches'], 'number wide'),
    ...wide('Per day', 'First seen', 'Last seen'),
  ];
};

/** Empty for errors that are too rare to be in the timeline. */
const listDailyCounts = (error: ErrorKey, timeline: ErrorsTimeline) =>
  Object.entries(timeline).flatMap(([at, errors]) => {
    const value = errors.find((one) => isSameError(one, error))?.value;
    return value === undefined ? [] : [{ at: Number(at), value }];
  });

/** The filters of this list that the page of an error has, too. */
const COMMON_FILTERS: ReadonlySet<string> = new Set(
  ['date_start', 'date_end', 'branches', 'authors', 'tags', 'groups'].flatMap((name) => [name, `${name}[]`]),
);

const linkToErrorWithFilters = (at: Props['at'], error: ErrorKey): string =>
  linkToError(at.visit, error, pickParameters(at, COMMON_FILTERS));

interface LineProps extends Pick<Props, 'at' | 'issuesBy' | 'before' | 'now'> {
  readonly error: ErrorRow;
  readonly timeline: ErrorsTimeline;
}

interface FirstSeenProps extends Pick<LineProps, 'error' | 'now'> {
  readonly isNew: boolean;
}

const FirstSeen = ({ error: { firstSeen }, isNew, now }: FirstSeenProps): Html =>
  isNew ? (
    <span class="word failed">new since {formatShortDate(Date.parse(firstSeen))}</span>
  ) : (
    <Ago at={firstSeen} now={now} />
  );

const ErrorLine = ({ at, error, timeline, issuesBy, before, now }: LineProps): Html => {
  const isNew = before.length > 0 && !before.some((one) => isSameError(one, error));
  const days = listDailyCounts(error, timeline);
  return (
    <tr>
      <th scope="row">
        <a class="test-name" href={linkToErrorWithFilters(at, error)}>
          <code>{formatErrorTitle(error)}</code>
        </a>
        <small>{formatErrorKind(error)}</small>
        <small class="narrow line">
          {!isNew && 'first '}
          <FirstSeen error={error} isNew={isNew} now={now} /> · last <Ago at={error.lastSeen} now={now} />
        </small>
        <IssueMarks issues={findErrorIssues(error, issuesBy)} />
      </th>
      <td class="number">{error.count}</td>
      <td class="number">{error.tests}</td>
      <td class="number wide">{error.branches}</td>
      <td class="wide">{days.length > 0 && <DayBars title="Occurrences" days={days} />}</td>
      <td class="wide">
        <FirstSeen error={error} isNew={isNew} now={now} />
      </td>
      <td class="wide">
        <Ago at={error.lastSeen} now={now} />
      </td>
    </tr>
  );
};
