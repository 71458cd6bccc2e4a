/** One test over time: its executions, durations, branches and errors. */

import type * as z from 'zod';
import type { TestSummary } from '#shared/analytics/metrics/tests-wire.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { RecordedTestOutcome } from '#shared/model/results/outcomes.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import { MetricChange } from '#shared/pages/design/change.tsx';
import { FullTime, formatCount, formatDate, formatDuration, formatRate } from '#shared/pages/design/format.tsx';
import { getOutcomeWord, toShownOutcome } from '#shared/pages/design/outcome.tsx';
import { Copied, EmptyState, Menu, PageHead, Summary, Tabs, Tile } from '#shared/pages/design/parts.tsx';
import { IssueActions, IssuesOfTest } from '#shared/pages/issues/issues-of-test.tsx';
import { EndQuarantine } from '#shared/pages/rules/end-quarantine.tsx';
import { QuarantineControl } from '#shared/pages/rules/quarantine-control.tsx';
import { QUARANTINE_MEANS } from '#shared/pages/rules/rule-names.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import { type Here, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToRules, linkToTest, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { formatPeriod, listPeriods, type ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { listFailingGroups } from '#shared/results/executions/failing-since.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import type { TestResult } from '#shared/results/executions/test-result-wire.ts';
import type { IssueMark } from '#shared/results/failures/known-issue-wire.ts';
import { listQuarantiningRuleIds } from '#shared/rules/quarantines.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { Executions } from './executions-of-test.tsx';
import { FailingSinceNotification } from './failing-since.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly at: Here;
  readonly signature: string;
  readonly title: readonly string[];
  /** The period of the numbers and of the list of executions. */
  readonly period: ShownPeriod;
  readonly executions: readonly z.infer<typeof TestResult>[];
  /** The newest execution, which the list may not contain. */
  readonly newest: ShownExecution | undefined;
  /** Groups where the test is failing on the default branch. */
  readonly failing: ReturnType<typeof listFailingGroups>;
  /** The metrics of the test in the period. Absent if it did not run then, and for roles that may not see analytics. */
  readonly metrics: TestSummary | undefined;
  /** The active rules that quarantine the test. `undefined` for roles that may not see rules. */
  readonly quarantines: readonly AppliedRule[] | undefined;
  readonly issues: readonly IssueMark[];
  readonly now: number;
  readonly paging: Paging;
}

export function TestPage(props: Props): Html {
  const { visit, at, signature, title, period, executions, failing, metrics, issues, paging, newest, now } = props;
  const groups = new Set(executions.map(({ groupId }) => groupId));
  return (
    <>
      <PageHead
        title={title}
        outcome={newest && { outcome: toShownOutcome(newest.status, newest.flaky) }}
        meta={
          newest && (
            <span>
              <code>{newest.spec}</code>
              <Copied text={newest.spec} label="Copy the path of the spec file" />
            </span>
          )
        }
        actions={<Actions {...props} />}
      />
      <IssuesOfTest visit={visit} issues={issues} />
      {failing.map(({ groupId, since }) => (
        <FailingSinceNotification visit={visit} since={since} groupId={groups.size > 1 ? groupId : undefined} />
      ))}
      <Quarantines {...props} />
      {metrics && <MetricsOfTest test={metrics} period={period} />}
      {newest && (
        <Tabs
          label="Views of this test"
          tabs={[
            { name: 'Latest execution', href: linkToTestOfRun(visit, newest), isCurrent: false },
            { name: 'History', href: linkToTest(visit, signature), isCurrent: true },
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
        periods={listPeriods(period, now)}
        note={formatPeriod(at, period)}
      />
      {executions.length === 0 ? (
        <EmptyState icon="list-checks" title="No executions">
          <p>
            There are no executions in this period, or none that match the filters. A test that was renamed or moved has
            a new history, which starts at that time.
          </p>
          {newest && (
            <a class="button quiet" href={linkToTestOfRun(visit, newest)}>
              Newest execution, <FullTime at={newest.createdAt} />
            </a>
          )}
        </EmptyState>
      ) : (
        <Executions visit={visit} executions={executions} />
      )}
      <PageLinks paging={paging} href={(cursors) => linkWithChanges(at, cursors)} />
    </>
  );
}

/** The issue is about the latest execution that failed or was flaky, or else about the latest one. */
function Actions({ visit, executions, newest, quarantines, now }: Props): Html {
  if (!newest) return <></>;
  const { instanceId, testId } = executions.find(({ status, flaky }) => status === 'failed' || flaky) ?? newest;
  return (
    <>
      {/* The notice below names the rule of a quarantined test. */}
      {quarantines?.length === 0 && (
        <QuarantineControl visit={visit} test={newest} rule={undefined} look="large" now={now} />
      )}
      {mayAdd(visit, 'issues:write') && (
        <Menu label="More actions">
          <IssueActions visit={visit} of={{ instanceId, testId }} />
        </Menu>
      )}
    </>
  );
}

function Quarantines({ visit, signature, newest, quarantines }: Props): Html {
  if (!newest) return <></>;
  const isEnded = quarantines?.length === 0;
  const isApplied = ({ actionId }: AppliedRule) => listQuarantiningRuleIds(newest).includes(actionId);
  return (
    <>
      {quarantines?.map((rule) => (
        <div class={isApplied(rule) ? 'notice' : 'notice flaky'}>
          <p>
            <strong>Quarantined</strong> by the rule <a href={linkToRules(visit, rule.actionId)}>{rule.name}</a>
            {rule.expiresAfter === null ? (
              ', which never expires'
            ) : (
              <>
                {' until '}
                <FullTime at={rule.expiresAfter} />
              </>
            )}
            .{' '}
            {isApplied(rule) ? (
              QUARANTINE_MEANS
            ) : (
              <>
                Its latest execution did not apply the rule, so a failure still fails the run.{' '}
                <a href={linkToRules(visit, rule.actionId)}>See what to do</a>
              </>
            )}
          </p>
          <EndQuarantine visit={visit} rule={rule} signature={signature} />
        </div>
      ))}
      {listQuarantiningRuleIds(newest).length > 0 && (isEnded || !quarantines) && (
        <p class="notice">
          <strong>Quarantined</strong> in its latest execution.{isEnded && ' The quarantine has ended.'}
        </p>
      )}
    </>
  );
}

interface MetricsProps {
  readonly test: TestSummary;
  readonly period: ShownPeriod;
}

const MetricsOfTest = ({ test: { metrics }, period: { from, to } }: MetricsProps): Html => (
  <Summary
    below={
      <p class="soft">
        {formatDate(from)} to {formatDate(to - 1)}, all ended runs of all branches, compared with the previous period
      </p>
    }
  >
    <Tile label="Executions" value={formatCount(metrics.executions)} />
    <Tile
      label="Failed"
      value={formatRate(metrics.failureRate)}
      tone={metrics.failureRate > 0 ? 'failed' : undefined}
      note={<MetricChange order="failureRateDelta" metrics={metrics} isShort />}
    />
    <Tile
      label="Flaky"
      value={formatRate(metrics.flakinessRate)}
      tone={metrics.flakinessRate > 0 ? 'flaky' : undefined}
      note={<MetricChange order="flakinessRateDelta" metrics={metrics} isShort />}
    />
    <Tile
      label="Duration"
      value={formatDuration(metrics.avgDurationMs)}
      note={<MetricChange order="durationDelta" metrics={metrics} isShort />}
    />
    <Tile label="Total time" value={formatDuration(metrics.durationVolume)} />
  </Summary>
);

const OUTCOMES = [
  { value: '', label: 'any' },
  ...RecordedTestOutcome.options.map((value) => ({ value, label: getOutcomeWord(value) })),
];
