/** The runs of a project. */
import type * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { NO_TESTS } from '#shared/model/tests/outcomes.ts';
import { DataTable, wide, wideNumbers } from '#shared/pages/design/data-table.tsx';
import { Ago, Duration } from '#shared/pages/design/format.tsx';
import { OutcomeBadge, OutcomeCounts, runOutcome } from '#shared/pages/design/outcome.tsx';
import { HowToRecord } from '#shared/pages/home/how-to-record.tsx';
import type { Here } from '#shared/pages/shell/here.ts';
import { newImportHref, runHref, runsHref } from '#shared/pages/shell/hrefs.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { RunsFilter } from '#shared/results/filter-wire.ts';
import type { RunWithTotals } from '#shared/results/list-runs.ts';
import type { RunFeedItem } from '#shared/results/run-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { ActiveFilters, RunFilters, RunPresets, searchOf } from './runs-filters.tsx';

type Run = z.infer<typeof RunFeedItem>;

interface Props {
  readonly visit: ProjectVisit;
  readonly at: Here;
  readonly query: RunsFilter;
  readonly runs: readonly RunWithTotals[];
  readonly paging: Paging;
  readonly now: number;
  readonly origin: string;
}

export function RunsPage({ visit, at, query, runs, paging, now, origin }: Props): Html {
  const search = searchOf(query);
  const isFiltered = Object.keys(search).length > 0;
  const isFirstPage = paging.query.starting_after === undefined && paging.query.ending_before === undefined;
  return (
    <>
      <h1>Runs</h1>
      <RunPresets visit={visit} search={search} />
      <RunFilters visit={visit} at={at} query={query} />
      <ActiveFilters visit={visit} search={search} />
      {runs.length > 0 && may(visit.person, 'runs:write') && (
        <p>
          <a href={newImportHref(visit)}>Import a report</a>
        </p>
      )}
      {runs.length > 0 && <RunTable visit={visit} runs={runs} now={now} />}
      {runs.length === 0 && isFiltered && (
        <p class="notice">No runs match these filters. Remove a filter to see more.</p>
      )}
      {runs.length === 0 && !isFiltered && isFirstPage && <HowToRecord visit={visit} origin={origin} />}
      <PageLinks paging={paging} href={(cursors) => runsHref(visit, { ...search, ...cursors })} />
    </>
  );
}

const RunTable = ({ visit, runs, now }: Pick<Props, 'visit' | 'runs' | 'now'>): Html => (
  <DataTable
    label="Runs"
    caption="Newest first"
    columns={['Outcome', 'Run', 'Tests', ...wideNumbers('Duration'), ...wide('Started')]}
  >
    {runs.map((run) => (
      <RunRow visit={visit} run={run} now={now} />
    ))}
  </DataTable>
);

const RunRow = ({
  visit,
  run,
  now,
}: {
  readonly visit: ProjectVisit;
  readonly run: RunWithTotals;
  readonly now: number;
}): Html => (
  <tr>
    <td>
      <OutcomeBadge {...runOutcome(run)} />
    </td>
    <th scope="row">
      <a href={runHref(visit, run.runId)}>{run.meta.pr?.title ?? run.meta.title ?? run.meta.ciBuildId}</a>
      <br />
      <small>
        {placeOf(run)}
        <span class="narrow">
          {' · '}
          <Ago at={run.createdAt} now={now} />
        </span>
      </small>
    </th>
    <td>
      <OutcomeCounts counts={run.progress?.tests ?? totalsOfGroups(run)} />
    </td>
    <td class="number wide">
      <Duration milliseconds={run.durationMs} />
    </td>
    <td class="wide">
      <Ago at={run.createdAt} now={now} />
    </td>
  </tr>
);

/** What a run tested, such as `main · 1a2b3c4 · Ada · build-42`. */
const placeOf = ({ meta: { commit, pr, ciBuildId } }: Run): string =>
  [commit.branch, commit.sha?.slice(0, 7), pr && `#${pr.id}`, commit.authorName, ciBuildId].filter(Boolean).join(' · ');

/** Sums the counts of all groups. */
export function totalsOfGroups({ groups }: Pick<Run, 'groups'>) {
  const total = { ...NO_TESTS, tests: 0, specs: 0, completeSpecs: 0 };
  for (const { tests, instances } of groups) {
    total.overall += tests.overall;
    total.retries += tests.retries;
    total.passes += tests.passes;
    total.failures += tests.failures;
    total.skipped += tests.skipped;
    total.pending += tests.pending;
    total.flaky += tests.flaky;
    total.tests += tests.tests;
    total.specs += instances.overall;
    total.completeSpecs += instances.complete;
  }
  return total;
}
