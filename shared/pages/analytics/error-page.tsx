/** The page of one error: when it occurred, in which tests and on which branches. */
import type { ErrorCluster } from '#shared/analytics/metrics/error-cluster.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { ErrorReading } from '#shared/errors/read-error.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { Ago, FullTime, formatCount, formatQuantity, formatShortDate } from '#shared/pages/design/format.tsx';
import { IssueMarks } from '#shared/pages/design/issue-mark.tsx';
import { PageHead, Panel, Summary, TestName, Tile } from '#shared/pages/design/parts.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { CommitLinks } from '#shared/pages/shell/commit-links.tsx';
import { linkToRun, linkToTest, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { formatPeriod } from '#shared/pages/shell/list-filters.tsx';
import type { IssueLookup } from '#shared/results/failures/known-issues.ts';
import { formatErrorKind, formatErrorTitle } from './error-names.ts';
import type { InTime } from './in-time.ts';

interface Props extends InTime {
  readonly cluster: ErrorCluster;
  /** Absent if the run was deleted. */
  readonly firstRun: Pick<Run, 'commit'> | undefined;
  readonly issues: ReturnType<IssueLookup>;
  /** The latest failure with this error. Absent if it cannot be found, for example because its run was deleted. */
  readonly latest:
    | {
        readonly instanceId: string;
        readonly testId: string;
        readonly title: readonly string[];
        readonly reading: ErrorReading;
      }
    | undefined;
}

export const ErrorPage = ({ at, cluster, firstRun, issues, latest, period, now }: Props): Html => (
  <>
    <PageHead
      title={formatErrorTitle(cluster)}
      meta={
        <>
          <span>{formatErrorKind(cluster)}</span>
          <span>{formatPeriod(at, period)}</span>
          <IssueMarks issues={issues} />
        </>
      }
    />
    <Summary>
      <Tile label="Occurrences" value={formatCount(cluster.count)} tone="failed" />
      <Tile label="Tests" value={formatCount(cluster.tests.length + cluster.hidden)} />
      <Tile
        label="Branches"
        value={formatCount(cluster.branches.length)}
        note={cluster.branches.map(({ branch }) => branch ?? 'no branch').join(', ')}
      />
      <Tile
        label="First seen"
        value={
          <a href={linkToRun(at.visit, cluster.firstRunId)}>
            <Ago at={cluster.firstSeen} now={now} />
          </a>
        }
        note={
          firstRun && (
            <span class="meta">
              <CommitLinks visit={at.visit} commit={firstRun.commit} pr={null} />
            </span>
          )
        }
      />
      <Tile label="Last seen" value={<Ago at={cluster.lastSeen} now={now} />} />
    </Summary>
    {latest && (
      <Panel
        title="Latest failure"
        note={latest.title.join(' › ')}
        actions={<a href={linkToTestOfRun(at.visit, latest)}>Show the failure</a>}
      >
        <Assertion reading={latest.reading} />
      </Panel>
    )}
    <Panel title="Occurrences per day">
      <TimeChart
        label="Occurrences per day"
        series={[{ name: 'occurrences', tone: 'failed' }]}
        buckets={cluster.days.map(({ at: day, value }) => ({ name: formatShortDate(day), values: [value] }))}
      />
    </Panel>
    <Panel title="Tests" note="most occurrences first" isFlush>
      <DataTable label="Tests" columns={['Test', ...numbers('Occurrences'), ...wide('Last branch'), 'Last seen']}>
        {cluster.tests.map(({ signature, title, specFile, count, last }) => (
          <tr>
            <th scope="row">
              <TestName href={linkToTest(at.visit, signature)} title={title} />
              <small>
                <code>{specFile}</code>
              </small>
            </th>
            <td class="number">{count}</td>
            <td class="wide">{last.branch ?? 'no branch'}</td>
            <td>
              <a href={linkToRun(at.visit, last.runId)}>
                <FullTime at={last.createdAt} />
              </a>
            </td>
          </tr>
        ))}
      </DataTable>
    </Panel>
    {cluster.hidden > 0 && <p class="soft">{formatQuantity(cluster.hidden, 'more test')} had this error less often.</p>}
  </>
);
