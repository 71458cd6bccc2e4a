/** All tests of a run, with a search and filters. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { formatCount, formatDuration, formatQuantity, toSentenceCase } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { EmptyState, PageHead, Tabs, TestName } from '#shared/pages/design/parts.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import type { FilterField } from '#shared/pages/shell/filter-menu.tsx';
import { findParameterValue, type Here, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToRunPage, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { sumGroups } from '#shared/pages/shell/run-totals.ts';
import type { TestOfRun, TestsOfRun } from '#shared/results/executions/tests-of-run.ts';
import { OUTCOMES_OF_TESTS } from '#shared/results/executions/tests-of-run-wire.ts';
import type { WholeRun } from '#shared/results/runs/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { RunTabs } from './run-tabs.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly at: Here;
  readonly run: z.infer<typeof WholeRun>;
  readonly list: TestsOfRun;
}

const formatOutcome = (outcome: TestOfRun['outcome']): string => outcome.replace('_', ' ');

/** The API calls a test that was skipped on purpose `skipped`, which is `pending` elsewhere (§2.1). */
const MARKS: Readonly<Record<TestOfRun['outcome'], ShownOutcome>> = {
  failed: 'failed',
  flaky: 'flaky',
  passed: 'passed',
  skipped: 'pending',
  not_run: 'skipped',
};

const makeGroupFilter = (groups: readonly string[]): FilterField => ({
  name: 'group',
  label: 'Group',
  icon: 'list-checks',
  options: groups.map((group) => ({ value: group, label: group })),
});

export const TestsOfRunPage = ({ visit, at, run, list: { tests, groups, next, filesLeft } }: Props): Html => (
  <>
    <PageHead
      title={`Tests of ${run.meta.title ?? run.meta.ciBuildId}`}
      meta={formatQuantity(sumGroups(run).tests, 'test')}
    />
    <RunTabs visit={visit} run={run} current="tests" />
    <Outcomes at={at} run={run} />
    <FilterBar
      at={at}
      search={{ name: 'q', label: 'Words of a title or a spec file' }}
      fields={groups.length > 1 ? [makeGroupFilter(groups)] : []}
    />
    {tests.length === 0 && next === undefined ? (
      <EmptyState icon="list-checks" title="No tests">
        <p>No test of this run matches these filters.</p>
        <a class="button quiet" href={linkToRunPage(visit, run.runId, 'tests')}>
          Clear filters
        </a>
      </EmptyState>
    ) : (
      <TestTable visit={visit} tests={tests} />
    )}
    {next !== undefined && (
      <p>
        <a class="button quiet" href={linkWithChanges(at, { from: next })}>
          {tests.length === 0 ? 'Search the rest' : 'More tests'}
        </a>{' '}
        <span class="soft">{formatCount(filesLeft)} more spec files may have some</span>
      </p>
    )}
  </>
);

/** The outcomes that occur, with their numbers. How many tests a search matches is not known. */
function Outcomes({ at, run }: Pick<Props, 'at' | 'run'>): Html {
  const current = findParameterValue(at, 'outcome');
  const group = findParameterValue(at, 'group');
  const isSearch = findParameterValue(at, 'q') !== undefined;
  const counts = sumGroups({ groups: run.groups.filter(({ groupId }) => group === undefined || groupId === group) });
  const countOf: Readonly<Record<TestOfRun['outcome'], number>> = {
    failed: counts.failures,
    flaky: counts.flaky,
    passed: counts.passes - counts.flaky,
    skipped: counts.pending,
    not_run: counts.skipped,
  };
  return (
    <Tabs
      label="Outcomes"
      tabs={[
        {
          name: 'All',
          href: linkWithChanges(at, { outcome: undefined }),
          isCurrent: current === undefined,
          count: isSearch ? undefined : counts.overall,
        },
        ...OUTCOMES_OF_TESTS.filter((outcome) => countOf[outcome] > 0 || outcome === current).map((outcome) => ({
          name: toSentenceCase(formatOutcome(outcome)),
          href: linkWithChanges(at, { outcome }),
          isCurrent: outcome === current,
          count: isSearch ? undefined : countOf[outcome],
        })),
      ]}
    />
  );
}

const TestTable = ({ visit, tests }: { readonly visit: ProjectVisit; readonly tests: readonly TestOfRun[] }): Html => (
  <DataTable label="Tests" columns={['Outcome', 'Test', ...wide('Spec file', 'Group'), ...numbers('Duration')]}>
    {tests.map((test) => (
      <tr>
        <td>
          <OutcomeBadge outcome={MARKS[test.outcome]} label={formatOutcome(test.outcome)} />
        </td>
        <th scope="row">
          <TestName href={linkToTestOfRun(visit, test)} title={test.title} />
        </th>
        <td class="wide">
          <code>{test.spec}</code>
        </td>
        <td class="wide">{test.groupId}</td>
        <td class="number">{formatDuration(test.milliseconds)}</td>
      </tr>
    ))}
  </DataTable>
);
