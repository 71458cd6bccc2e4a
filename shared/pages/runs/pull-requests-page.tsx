/** Lists the pull requests of a project. The pull request with the newest run comes first. */
import type { Html } from '#shared/engine/html/html.ts';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { FilterBar } from '#shared/pages/shell/filter-bar.tsx';
import { getPath, type Here, linkWithChanges, listParameters } from '#shared/pages/shell/here.ts';
import { linkToPullRequests, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import { RunRow } from '#shared/pages/shell/run-row.tsx';
import type { PullRequestWire } from '#shared/results/runs/pull-requests-wire.ts';
import type { RunChange } from '#shared/results/runs/run-changes.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { listDistinctValues, RUN_STATES } from './runs-filters.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly at: Here;
  readonly pullRequests: readonly PullRequestWire[];
  readonly changes: ReadonlyMap<string, RunChange>;
  readonly paging: Paging;
  readonly now: number;
}

export const PullRequestsPage = ({ visit, at, pullRequests, changes, paging, now }: Props): Html => (
  <>
    <PageHead title="Pull requests" />
    <FilterBar
      at={at}
      search={{ name: 'search', label: 'Number or title' }}
      fields={[
        {
          name: 'authors[]',
          label: 'Author',
          icon: 'user',
          suggestions: listDistinctValues(
            pullRequests.flatMap(({ runs }) => runs.map(({ meta }) => meta.commit.authorName)),
          ),
        },
        {
          name: 'branches[]',
          label: 'Branch',
          icon: 'git-branch',
          suggestions: listDistinctValues(
            pullRequests.flatMap(({ runs }) => runs.map(({ meta }) => meta.commit.branch)),
          ),
        },
        { name: 'status[]', label: 'Outcome', icon: 'circle-check', options: RUN_STATES },
      ]}
    />
    {pullRequests.length === 0 ? (
      <Nothing visit={visit} at={at} />
    ) : (
      <section class="panel" aria-label="Pull requests, newest run first">
        <ul class="rows whole">
          {pullRequests.flatMap(({ id, title, runs: [newestRun] }) =>
            newestRun ? (
              <RunRow
                visit={visit}
                run={newestRun}
                change={changes.get(newestRun.runId)}
                title={title ?? `Pull request ${id}`}
                href={linkToPullRequests(visit, id)}
                now={now}
              />
            ) : (
              []
            ),
          )}
        </ul>
      </section>
    )}
    <PageLinks paging={paging} href={(cursors) => linkWithChanges(at, cursors)} />
  </>
);

const Nothing = ({ visit, at }: Pick<Props, 'visit' | 'at'>): Html =>
  listParameters(at).length > 0 ? (
    <EmptyState icon="list-filter" title="No pull requests match these filters">
      <a class="button quiet" href={getPath(at)}>
        Clear filters
      </a>
    </EmptyState>
  ) : (
    <EmptyState icon="git-pull-request" title="No pull requests yet">
      <p>
        A run belongs to a pull request if its reporter sends the number of the pull request. In GitHub Actions,
        reporters do so automatically for workflows that run <code>on: pull_request</code>. A project without runs shows
        under Runs how to record the first one.
      </p>
      <a class="button quiet" href={linkToRuns(visit)}>
        Runs
      </a>
    </EmptyState>
  );
