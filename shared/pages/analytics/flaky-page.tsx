/** Lists the flaky tests of a project. The tests with the strongest evidence come first. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { FlakyTestRow, FlakyTestsPage, FlakyTestsQuery } from '#shared/analytics/flaky/flaky-wire.ts';
import { FLAKY_LIMITS } from '#shared/analytics/flaky/limits.ts';
import { FLAKY_STATES } from '#shared/analytics/flaky/state.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { Ago, formatDate, formatRate, toSentenceCase } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { EmptyState, PageHead, Tabs, TestName } from '#shared/pages/design/parts.tsx';
import { linkToQuarantine } from '#shared/pages/rules/rule-fields.ts';
import { linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToTest } from '#shared/pages/shell/hrefs.ts';
import { ARRIVAL } from '#shared/pages/shell/list-filters.tsx';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import type { IssueLookup } from '#shared/results/known-issues.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { InTime } from './in-time.ts';

interface Props extends Omit<InTime, 'period'> {
  readonly query: FlakyTestsQuery;
  readonly found: z.infer<typeof FlakyTestsPage>;
  readonly issuesBy: IssueLookup;
}

type State = FlakyTestRow['state'];

const OUTCOMES: Readonly<Record<State, ShownOutcome>> = {
  flaky: 'flaky',
  suspected: 'pending',
  recovered: 'passed',
  broken: 'failed',
};

const FLAKY_MEANS =
  'Tests that both passed and failed without a code change: on retry, or in two runs of the same commit. ';
const BROKEN_MEANS = `Tests that very likely fail in ${formatRate(FLAKY_LIMITS.brokenScore)} or more of their executions on the default branch, and were not flaky in the last ${FLAKY_LIMITS.recoveryDays} days. `;

export const FlakyPage = ({ at, query, found, issuesBy, now }: Props): Html => (
  <>
    <PageHead title="Flaky tests" />
    <States at={at} query={query} />
    <p class="soft">
      {query.state.some((state) => state !== 'broken') && FLAKY_MEANS}
      {query.state.includes('broken') && BROKEN_MEANS}
      The score is a lower bound of the flake rate: it rises with more evidence. It covers all branches since{' '}
      {formatDate(Date.parse(found.dateStart))} (UTC).
    </p>
    {!found.isWhole && (
      <p class="notice">Too many commits were tested more than once. Only the newest runs were compared.</p>
    )}
    {found.list.length === 0 ? (
      <EmptyState icon="shuffle" title={`No test is ${query.state.join(' or ')}`}>
        <p>{ARRIVAL}</p>
      </EmptyState>
    ) : (
      <DataTable label="Flaky tests" caption="Highest score first" columns={makeColumns(at.visit)}>
        {found.list.map((test) => (
          <Line visit={at.visit} test={test} issuesBy={issuesBy} now={now} />
        ))}
      </DataTable>
    )}
    <OffsetLinks at={at} page={query.page} shown={found.list.length} {...found} />
  </>
);

const makeColumns = (visit: ProjectVisit) => [
  'Test',
  'State',
  ...numbers('Score'),
  ...wideNumbers('Passed on retry', 'Changed on rerun', 'Failures', 'Executions'),
  ...wide('Last flaky', ...(may(visit.person, 'actions:write') ? ['Rule'] : [])),
];

const DEFAULT: readonly State[] = ['flaky', 'suspected'];

const States = ({ at, query }: Pick<Props, 'at' | 'query'>): Html => (
  <Tabs
    label="States"
    tabs={[
      {
        name: toSentenceCase(DEFAULT.join(' or ')),
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

interface LineProps extends Pick<Props, 'issuesBy' | 'now'> {
  readonly visit: ProjectVisit;
  readonly test: FlakyTestRow;
}

const Line = ({ visit, test, issuesBy, now }: LineProps): Html => (
  <tr>
    <th scope="row">
      <TestName href={linkToTest(visit, test.signature)} title={test.title} />
      <small>
        <code>{test.spec}</code>
        <span class="narrow">
          {' · '}
          {test.events} of {test.executions} executions
        </span>
      </small>
      <IssueMarks issues={issuesBy({ signature: test.signature })} />
    </th>
    <td>
      <OutcomeBadge outcome={OUTCOMES[test.state]} label={test.state} />
    </td>
    <td class="number">{formatRate(test.score)}</td>
    <td class="number wide">{test.retried}</td>
    <td class="number wide">{test.flips}</td>
    <td class="number wide">{test.failures}</td>
    <td class="number wide">{test.executions}</td>
    <td class="wide">{test.lastEventAt === null ? '–' : <Ago at={test.lastEventAt} now={now} />}</td>
    {may(visit.person, 'actions:write') && (
      <td class="wide">
        <a class="button quiet small" href={linkToQuarantine(visit, test, now)}>
          <Icon name="shield" size="small" />
          Quarantine…
        </a>
      </td>
    )}
  </tr>
);
