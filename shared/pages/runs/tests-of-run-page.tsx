/** All tests of a run, with a search and filters. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import { EmptyState, PageHead, TestName } from '#shared/pages/design/parts.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import { type Here, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToRun, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { sumGroups } from '#shared/pages/shell/run-row.tsx';
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

const LABELS: Readonly<Record<TestOfRun['outcome'], string>> = {
  failed: 'failed',
  flaky: 'flaky',
  passed: 'passed',
  skipped: 'skipped',
  not_run: 'not run',
};

const MARKS: Readonly<Record<TestOfRun['outcome'], ShownOutcome>> = {
  failed: 'failed',
  flaky: 'flaky',
  passed: 'passed',
  skipped: 'pending',
  not_run: 'skipped',
};

export const TestsOfRunPage = ({ visit, at, run, list: { tests, groups, next, filesLeft } }: Props): Html => (
  <>
    <PageHead
      title={`Tests of ${run.meta.title ?? run.meta.ciBuildId}`}
      meta={formatQuantity(sumGroups(run).tests, 'test')}
    />
    <RunTabs visit={visit} run={run} current="tests" />
    <FilterBar
      at={at}
      search={{ name: 'q', label: 'Words of a title or a spec file' }}
      fields={[
        {
          name: 'outcome',
          label: 'Outcome',
          icon: 'list-checks',
          options: OUTCOMES_OF_TESTS.map((outcome) => ({ value: outcome, label: LABELS[outcome] })),
        },
        ...(groups.length > 1
          ? [
              {
                name: 'group',
                label: 'Group',
                icon: 'list-checks' as const,
                options: groups.map((group) => ({ value: group, label: group })),
              },
            ]
          : []),
      ]}
    />
    {tests.length === 0 && next === undefined ? (
      <EmptyState icon="list-checks" title="No tests">
        <p>No test of this run matches these filters.</p>
        <a class="button quiet" href={`${linkToRun(visit, run.runId)}/tests`}>
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

const TestTable = ({ visit, tests }: { readonly visit: ProjectVisit; readonly tests: readonly TestOfRun[] }): Html => (
  <DataTable label="Tests" columns={['Outcome', 'Test', ...wide('Spec file', 'Group'), ...numbers('Duration')]}>
    {tests.map((test) => (
      <tr>
        <td>
          <OutcomeBadge outcome={MARKS[test.outcome]} label={LABELS[test.outcome]} />
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
