/** Lists the flaky tests of a project. The tests with the strongest evidence come first. */
import { may } from '#shared/access/may.ts';
import type { FlakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { FLAKY_LIMITS } from '#shared/analytics/flaky/limits.ts';
import type { FlakyList, FlakyOrder, ListedFlakyTest } from '#shared/analytics/flaky/read-flaky-list.ts';
import { FLAKY_STATES } from '#shared/analytics/flaky/state.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, type TableColumn, wide, widestNumbers } from '#shared/pages/design/data-table.tsx';
import { DayBars } from '#shared/pages/design/day-bars.tsx';
import {
  Ago,
  formatCount,
  formatDuration,
  formatQuantity,
  formatRate,
  toSentenceCase,
} from '#shared/pages/design/format.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { PageHead, Tabs, TestName } from '#shared/pages/design/parts.tsx';
import { QuarantineControl } from '#shared/pages/rules/quarantine-control.tsx';
import { linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToTest } from '#shared/pages/shell/hrefs.ts';
import { ListFilters } from '#shared/pages/shell/list-filters.tsx';
import { NothingInPeriod } from '#shared/pages/shell/nothing-in-period.tsx';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import type { IssueLookup } from '#shared/results/failures/known-issues.ts';
import type { QuarantineOf } from '#shared/rules/quarantines.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { InTime } from './in-time.ts';

interface Props extends InTime {
  readonly query: Pick<FlakyTestsQuery, 'state' | 'page'> & { readonly order: FlakyOrder };
  readonly flakyTests: FlakyList;
  readonly issuesBy: IssueLookup;
  readonly quarantineOf: QuarantineOf;
}

type State = ListedFlakyTest['state'];

const OUTCOMES: Readonly<Record<State, ShownOutcome>> = {
  flaky: 'flaky',
  suspected: 'pending',
  recovered: 'passed',
  broken: 'failed',
};

const FLAKY_MEANS =
  'Tests that both passed and failed without a code change: on retry, or in two runs of the same commit. ';
const BROKEN_MEANS = `Tests that very likely fail in ${formatRate(FLAKY_LIMITS.brokenScore)} or more of their executions on the default branch, and were not flaky in the last ${FLAKY_LIMITS.recoveryDays} days. `;
const RATE_MEANS =
  'The rate on retry is that of all executions, as in Tests. “At least” is what the evidence of retries and reruns proves: the more executions, the closer it comes to their rate.';

export const FlakyPage = ({ at, query, period, flakyTests, issuesBy, quarantineOf, now }: Props): Html => (
  <>
    <PageHead title="Flaky tests" />
    <States at={at} query={query} />
    <ListFilters at={at} period={period} now={now} />
    <p class="soft">
      {query.state.some((state) => state !== 'broken') && FLAKY_MEANS}
      {query.state.includes('broken') && BROKEN_MEANS}
      {flakyTests.list.length > 0 && RATE_MEANS}
    </p>
    {!flakyTests.isWhole && (
      <p class="notice">Too many commits were tested more than once. Only the newest runs were compared.</p>
    )}
    {flakyTests.list.length === 0 ? (
      <NothingInPeriod
        {...{ at, icon: 'shuffle', title: `No test was ${query.state.join(' or ')} in this period`, noun: 'test' }}
        reason=""
      />
    ) : (
      <DataTable label="Flaky tests" caption={CAPTIONS[query.order]} columns={makeColumns(at, query.order)}>
        {flakyTests.list.map((test) => (
          <Line visit={at.visit} {...{ test, issuesBy, quarantineOf, now }} />
        ))}
      </DataTable>
    )}
    <OffsetLinks at={at} page={query.page} shown={flakyTests.list.length} {...flakyTests} />
  </>
);

const CAPTIONS: Readonly<Record<FlakyOrder, string>> = {
  evidence: 'Strongest evidence first: the highest “at least”',
  redRuns: 'Tests that alone turned most runs red first',
  lostTime: 'Tests that cost most time first',
};

function makeColumns(at: Props['at'], order: FlakyOrder): TableColumn[] {
  const column = (name: string, by: FlakyOrder, kind: 'number' | 'number wide'): TableColumn => ({
    name,
    class: kind,
    href: linkWithChanges(at, { order: by === 'evidence' ? undefined : by }),
    // The order by evidence is not that of the rate, which is the first number of its column.
    sort: order === by && by !== 'evidence' ? 'descending' : undefined,
  });
  return [
    'Test',
    'State',
    column('Flaky', 'evidence', 'number'),
    ...wide('Flaky and failed per day'),
    column('Runs red by it alone', 'redRuns', 'number wide'),
    column('Time lost in retries', 'lostTime', 'number wide'),
    ...widestNumbers('Passed on retry', 'Changed on rerun'),
    ...wide('Last flaky'),
    ...(may(at.visit.person, 'actions:read') ? wide('Rule') : []),
  ];
}

const DEFAULT_STATES: readonly State[] = ['flaky', 'suspected'];

const States = ({ at, query }: Pick<Props, 'at' | 'query'>): Html => (
  <Tabs
    label="States"
    tabs={[
      {
        name: toSentenceCase(DEFAULT_STATES.join(' or ')),
        href: linkWithChanges(at, { 'state[]': undefined }),
        isCurrent: query.state.length > 1,
      },
      ...FLAKY_STATES.map((state) => ({
        name: toSentenceCase(state),
        href: linkWithChanges(at, { 'state[]': state }),
        isCurrent: query.state.length === 1 && query.state[0] === state,
      })),
    ]}
  />
);

export const toNamedTest = ({ specFile, title }: Pick<ListedFlakyTest, 'specFile' | 'title'>) => ({
  spec: specFile,
  title,
});

interface LineProps extends Pick<Props, 'issuesBy' | 'quarantineOf' | 'now'> {
  readonly visit: ProjectVisit;
  readonly test: ListedFlakyTest;
}

const Line = ({ visit, test, issuesBy, quarantineOf, now }: LineProps): Html => (
  <tr>
    <th scope="row">
      <TestName href={linkToTest(visit, test.signature)} title={test.title} />
      <small>
        <code>{test.specFile}</code>
        <span class={test.flips === 0 ? 'nowrap' : undefined}>
          {' · '}
          {formatEvents(test)}
        </span>
      </small>
      <small class="narrow line">
        {formatCosts(test)}
        {test.lastEventAt !== null && (
          <>
            last <Ago at={test.lastEventAt} now={now} />
          </>
        )}
      </small>
      <IssueMarks issues={issuesBy({ signature: test.signature })} />
      <div class="narrow">
        <QuarantineControl visit={visit} test={toNamedTest(test)} rule={quarantineOf(toNamedTest(test))} now={now} />
      </div>
    </th>
    <td>
      <OutcomeBadge outcome={OUTCOMES[test.state]} label={test.state} />
    </td>
    <td class="number">
      <Rates test={test} />
    </td>
    <td class="wide">
      <DayBars title="Flaky and failed executions" days={test.days} tone="flaky" />
    </td>
    <td class="number wide">{formatAtLeast(test, formatCount(test.redRuns))}</td>
    <td class="number wide">{test.lostTime === 0 ? '–' : formatAtLeast(test, formatDuration(test.lostTime))}</td>
    <td class="number widest">{test.retried}</td>
    <td class="number widest">{test.flips}</td>
    <td class="wide nowrap">{test.lastEventAt === null ? '–' : <Ago at={test.lastEventAt} now={now} />}</td>
    {may(visit.person, 'actions:read') && (
      <td class="wide">
        <QuarantineControl visit={visit} test={toNamedTest(test)} rule={quarantineOf(toNamedTest(test))} now={now} />
      </td>
    )}
  </tr>
);

/** The events of a test are of two kinds. Each has its own rate, so each is named if both occurred. */
function formatEvents({ retried, flips, executions }: ListedFlakyTest): string {
  const all = formatQuantity(executions, 'execution');
  if (flips === 0) return `${retried} of ${all}`;
  return `${[retried > 0 && `${retried} on retry`, `${flips} on rerun`].filter(Boolean).join(' and ')} in ${all}`;
}

/** For phones, which have no room for these columns. */
const formatCosts = (test: ListedFlakyTest): string =>
  [
    test.lostTime > 0 && `lost ${formatAtLeast(test, formatDuration(test.lostTime))} · `,
    test.redRuns > 0 && `alone turned ${formatAtLeast(test, formatQuantity(test.redRuns, 'run'))} red · `,
  ]
    .filter(Boolean)
    .join('');

/** A test that never passed on a retry has a rate of reruns only, because 0 % would say that it is not flaky. */
function Rates({ test: { flakinessRate, flips, executions, score } }: Pick<LineProps, 'test'>): Html {
  const onRerun = flips > 0 && executions > 0 ? formatRate(flips / executions) : undefined;
  const isOnlyOnRerun = flakinessRate === 0 && onRerun !== undefined;
  return (
    <>
      {isOnlyOnRerun ? onRerun : formatRate(flakinessRate)}
      {isOnlyOnRerun && <small class="line">only on rerun</small>}
      {!isOnlyOnRerun && onRerun !== undefined && <small class="line">and {onRerun} on rerun</small>}
      {score > 0 && <small class="line">at least {formatRate(score)}</small>}
    </>
  );
}

/** A number is a minimum if only the newest bad executions of the test were read. */
const formatAtLeast = ({ isWhole }: ListedFlakyTest, text: string): string => (isWhole ? text : `≥ ${text}`);
