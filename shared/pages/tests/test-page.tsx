/** One test over time: its executions, durations, branches and errors. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { TestSummary } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { AppliedRule } from '#shared/model/tests/rule.ts';
import { textOfAnsi } from '#shared/pages/design/ansi.tsx';
import { DataTable, numbers, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { counted, durationText, FullTime, fullText } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, outcomeOfTest, wordOf } from '#shared/pages/design/outcome.tsx';
import { Copied, EmptyState, Menu, PageHead, Panel, Tabs } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { IssueActions, IssuesOfTest } from '#shared/pages/issues/issues-of-test.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { hereWith } from '#shared/pages/shell/here.ts';
import { testHref, testOfRunHref } from '#shared/pages/shell/hrefs.ts';
import type { ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { failingGroups } from '#shared/results/failing-since.ts';
import type { IssueMark } from '#shared/results/known-issue-wire.ts';
import type { TestResult } from '#shared/results/test-result-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ExecutionStrip } from './execution-strip.tsx';
import { FailingSinceNotification } from './failing-since.tsx';
import { RuleMarks } from './rule-marks.tsx';
import { RulesOfTest } from './rules-of-test.tsx';
import { MetricsOfTest } from './test-metrics.tsx';

type Execution = z.infer<typeof TestResult>;

interface Props {
  readonly visit: ProjectVisit;
  readonly at: Here;
  readonly signature: string;
  readonly title: string;
  /** Epoch milliseconds. */
  readonly period: { readonly start: number; readonly end: number };
  readonly executions: readonly Execution[];
  /** Groups where the test is failing on the default branch. */
  readonly failing: ReturnType<typeof failingGroups>;
  /** The metrics of the test in `days`. Absent if it did not run then, and for roles that may not see analytics. */
  readonly metrics: TestSummary | undefined;
  /** The active rules that quarantine the test. `undefined` for roles that may not see rules. */
  readonly quarantines: readonly AppliedRule[] | undefined;
  readonly issues: readonly IssueMark[];
  readonly days: ShownPeriod;
  readonly now: number;
  readonly paging: Paging;
}

export function TestPage({ visit, at, signature, title, period, executions, failing, paging, ...more }: Props): Html {
  const own = testHref(visit, signature);
  const groups = new Set(executions.map(({ groupId }) => groupId));
  const [latest] = executions;
  return (
    <>
      <PageHead
        title={latest?.title.at(-1) ?? title}
        path={latest?.title.slice(0, -1).join(' › ')}
        outcome={latest && { outcome: outcomeOfTest(latest.status, latest.flaky) }}
        meta={
          latest && (
            <span>
              <code>{latest.spec}</code>
              <Copied text={latest.spec} label="Copy the path of the spec file" />
            </span>
          )
        }
        actions={<Actions visit={visit} executions={executions} />}
      />
      <IssuesOfTest visit={visit} issues={more.issues} />
      {failing.map(({ groupId, since }) => (
        <FailingSinceNotification visit={visit} since={since} groupId={groups.size > 1 ? groupId : undefined} />
      ))}
      <RulesOfTest {...{ visit, signature, executions }} quarantines={more.quarantines} now={more.now} />
      {more.metrics && <MetricsOfTest test={more.metrics} period={more.days} />}
      {latest && (
        <Tabs
          label="Views of this test"
          tabs={[
            { name: 'Latest execution', href: testOfRunHref(visit, latest), isCurrent: false },
            { name: 'History', href: own, isCurrent: true },
          ]}
        />
      )}
      <FilterBar
        at={at}
        fields={[
          {
            name: 'branches[]',
            label: 'Branch',
            icon: 'git-branch',
            suggestions: [...new Set(executions.flatMap(({ commit }) => commit.branch ?? []))],
          },
          { name: 'status[]', label: 'Outcome', icon: 'circle-check', options: OUTCOMES },
        ]}
      />
      <p class="soft">
        Executions from <FullTime at={period.start} /> to <FullTime at={period.end} />
      </p>
      {executions.length === 0 ? (
        <EmptyState icon="list-checks" title="No executions">
          <p>
            There are no executions in this period, or none that match the filters. A test that was renamed or moved has
            a new history, which starts at that time.
          </p>
        </EmptyState>
      ) : (
        <Executions visit={visit} executions={executions} />
      )}
      <PageLinks paging={paging} href={(cursors) => hereWith(at, cursors)} />
    </>
  );
}

/**
 * The menu to create or link an issue, about the latest execution that failed or was flaky. If there is none, the issue
 * is about the latest execution.
 */
function Actions({ visit, executions }: Pick<Props, 'visit' | 'executions'>): Html {
  const of = executions.find(({ status, flaky }) => status === 'failed' || flaky) ?? executions[0];
  if (!of || !may(visit.person, 'issues:write')) return <></>;
  return (
    <Menu label="More actions">
      <IssueActions visit={visit} of={{ instanceId: of.instanceId, testId: of.testId }} />
    </Menu>
  );
}

const OUTCOMES = [
  { value: '', label: 'any' },
  { value: 'passed', label: wordOf('passed') },
  { value: 'failed', label: wordOf('failed') },
  { value: 'pending', label: wordOf('pending') },
  { value: 'skipped', label: wordOf('skipped') },
];

const Executions = ({ visit, executions }: Pick<Props, 'visit' | 'executions'>): Html => (
  <div class="stack">
    <Panel title="History by branch" note="newest on the right">
      <Lanes visit={visit} executions={executions} />
    </Panel>
    {executions.length > 1 && (
      <Panel title="Duration">
        <TimeChart
          label="Duration of each execution"
          kind="line"
          series={[{ name: 'duration', tone: 'c1' }]}
          textOf={durationText}
          buckets={executions.toReversed().map((execution) => ({
            name: fullText(execution.createdAt),
            values: [execution.duration],
            href: testOfRunHref(visit, execution),
          }))}
        />
      </Panel>
    )}
    <Errors executions={executions} />
    <ExecutionTable visit={visit} executions={executions} />
  </div>
);

/**
 * A strip for each branch, with the default branch first. If one strip mixed all branches, a test that always fails on
 * one branch would look flaky.
 */
function Lanes({ visit, executions }: Pick<Props, 'visit' | 'executions'>): Html {
  const { defaultBranchName } = visit.project;
  const lanes = [...Map.groupBy(executions, ({ commit }) => commit.branch ?? 'no branch')];
  const rank = (branch: string) => (branch === defaultBranchName ? 0 : 1);
  return (
    <dl class="facts">
      {lanes
        .toSorted(([one], [other]) => rank(one) - rank(other))
        .map(([branch, own]) => (
          <div>
            <dt>{branch}</dt>
            <dd>
              <ExecutionStrip visit={visit} executions={own} label={`Executions on ${branch}, newest last`} />
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** The distinct first lines of errors, with the number of executions in which each occurred. */
function Errors({ executions }: Pick<Props, 'executions'>): Html {
  const failed = executions.filter(({ displayError }) => displayError !== null);
  const lines = Map.groupBy(failed, ({ displayError }) => textOfAnsi(displayError ?? '').split('\n', 1)[0] ?? '');
  if (failed.length === 0) return <></>;
  return (
    <Panel title="Errors" isFlush>
      <ul class="rows">
        {[...lines]
          .sort(([, one], [, other]) => other.length - one.length)
          .map(([line, same]) => (
            <li>
              <code>{line}</code>{' '}
              <small>
                {counted(same.length, 'execution')}, last on <FullTime at={same[0]?.createdAt ?? 0} />
              </small>
            </li>
          ))}
      </ul>
    </Panel>
  );
}

const ExecutionTable = ({ visit, executions }: Pick<Props, 'visit' | 'executions'>): Html => (
  <DataTable
    label="Executions"
    caption="Newest first"
    columns={['Outcome', 'Execution', ...numbers('Duration'), ...wideNumbers('Attempts')]}
  >
    {executions.map((execution) => (
      <tr>
        <td>
          <OutcomeBadge outcome={outcomeOfTest(execution.status, execution.flaky)} />
          <RuleMarks annotations={execution.annotations} />
        </td>
        <th scope="row">
          <a href={testOfRunHref(visit, execution)}>
            <FullTime at={execution.createdAt} />
          </a>
          <br />
          <small>
            {execution.commit.branch ?? 'no branch'} <code>{execution.commit.sha?.slice(0, 7)}</code>{' '}
            {[execution.commit.message?.split('\n', 1)[0], execution.commit.authorName, execution.groupId]
              .filter(Boolean)
              .join(' · ')}
          </small>
        </th>
        <td class="number">{durationText(execution.duration)}</td>
        <td class="number wide">{execution.attempts.length}</td>
      </tr>
    ))}
  </DataTable>
);
