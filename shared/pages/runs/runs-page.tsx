/** The runs of a project. */
import type { Html } from '#shared/engine/html/html.ts';
import { formatDay, formatQuantity } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead } from '#shared/pages/design/parts.tsx';
import { HowToRecord } from '#shared/pages/home/how-to-record.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { linkToImports, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject, mayAdd } from '#shared/pages/shell/may-add.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import { RunRow } from '#shared/pages/shell/run-row.tsx';
import type { RunsFilter } from '#shared/results/filter-wire.ts';
import type { RunWithTotals } from '#shared/results/runs/list-runs.ts';
import type { RunChange } from '#shared/results/runs/run-changes.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { RunFilters, RunPresets, toRunSearch } from './runs-filters.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly at: Here;
  readonly query: RunsFilter;
  readonly runs: readonly RunWithTotals[];
  readonly changes: ReadonlyMap<string, RunChange>;
  readonly paging: Paging;
  readonly now: number;
  readonly origin: string;
}

export function RunsPage({ visit, at, query, runs, changes, paging, now, origin }: Props): Html {
  const search = toRunSearch(query);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const isFirstPage = paging.query.starting_after === undefined && paging.query.ending_before === undefined;
  return (
    <>
      <PageHead
        title="Runs"
        actions={
          <>
            <RunPresets visit={visit} search={search} />
            {mayAdd(visit, 'runs:write') && (
              <a class="button quiet" href={linkToImports(visit, 'new')}>
                <Icon name="upload" />
                Import a report
              </a>
            )}
          </>
        }
      />
      <RunFilters at={at} runs={runs} />
      {runs.length > 0 && <RunList visit={visit} runs={runs} changes={changes} now={now} />}
      {runs.length === 0 && isFiltered && (
        <EmptyState icon="list-filter" title="No runs match these filters">
          <p>Remove a filter to see more runs.</p>
          <a class="button quiet" href={linkToRuns(visit)}>
            Clear filters
          </a>
        </EmptyState>
      )}
      {runs.length === 0 &&
        !isFiltered &&
        isFirstPage &&
        (isOfDeletedProject(visit) ? (
          <EmptyState icon="inbox" title="There are no runs">
            <p>To record some, restore the project.</p>
          </EmptyState>
        ) : (
          <HowToRecord visit={visit} origin={origin} />
        ))}
      <PageLinks paging={paging} href={(cursors) => linkToRuns(visit, { ...search, ...cursors })} />
    </>
  );
}

/** The runs, grouped by the UTC day on which they started. */
function RunList({ visit, runs, changes, now }: Pick<Props, 'visit' | 'runs' | 'changes' | 'now'>): Html {
  const days = Map.groupBy(runs, ({ createdAt }) => createdAt.slice(0, 'YYYY-MM-DD'.length));
  return (
    <section class="panel" aria-label="Runs, newest first">
      {[...days].map(([day, dayRuns]) => (
        <>
          <h2 class="day">
            {formatDay(Date.parse(day), now)} <small>{formatQuantity(dayRuns.length, 'run')}</small>
          </h2>
          <ul class="rows whole">
            {dayRuns.map((run) => (
              <RunRow visit={visit} run={run} change={changes.get(run.runId)} shownTags now={now} />
            ))}
          </ul>
        </>
      ))}
    </section>
  );
}
