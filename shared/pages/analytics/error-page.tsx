/** One error: when it occurred, in which tests and on which branches. */
import type { ErrorCluster } from '#shared/analytics/metrics/error-cluster.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, numbers, wide } from '#shared/pages/design/data-table.tsx';
import { DayBars } from '#shared/pages/design/day-bars.tsx';
import { counted, dateText, FullTime } from '#shared/pages/design/format.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { runHref, testHref } from '#shared/pages/shell/hrefs.ts';
import { periodText, type ShownPeriod } from '#shared/pages/shell/list-filters.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { errorKindOf } from './errors-page.tsx';

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly period: ShownPeriod;
  readonly cluster: ErrorCluster;
}

export const ErrorPage = ({ at, cluster, period }: Props): Html => (
  <>
    <h1>{cluster.message || 'No message'}</h1>
    <p class="soft">{errorKindOf(cluster)}</p>
    <p class="soft">{periodText(at, period)}</p>
    <p>
      {counted(cluster.count, 'occurrence')} in {counted(cluster.tests.length, 'test')} on{' '}
      {cluster.branches.map(({ branch }) => branch ?? 'no branch').join(', ')}. First on{' '}
      <FullTime at={cluster.firstSeen} />, last on <FullTime at={cluster.lastSeen} />.
    </p>
    <Days days={cluster.days} />
    <h2>Tests</h2>
    <DataTable
      label="Tests"
      caption="Tests with this error, most occurrences first"
      columns={['Test', ...numbers('Occurrences'), ...wide('Last branch'), 'Last seen']}
    >
      {cluster.tests.map(({ signature, title, specFile, count, last }) => (
        <tr>
          <th scope="row">
            <a href={testHref(at.visit, signature)}>{title.join(' › ')}</a>
            <br />
            <small>{specFile}</small>
          </th>
          <td class="number">{count}</td>
          <td class="wide">{last.branch ?? 'no branch'}</td>
          <td>
            <a href={runHref(at.visit, last.runId)}>
              <FullTime at={last.createdAt} />
            </a>
          </td>
        </tr>
      ))}
    </DataTable>
    {cluster.hidden > 0 && <p class="soft">{counted(cluster.hidden, 'more test')} had this error less often.</p>}
  </>
);

const Days = ({ days }: Pick<ErrorCluster, 'days'>): Html => (
  <figure>
    <figcaption>Occurrences per day, in UTC</figcaption>
    <DayBars title="Occurrences" days={days} />
    <details>
      <summary>As a table</summary>
      <table>
        <caption>Days with an occurrence</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col" class="number">
              Occurrences
            </th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ value }) => value > 0)
            .map(({ at, value }) => (
              <tr>
                <th scope="row">{dateText(at)}</th>
                <td class="number">{value}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  </figure>
);
