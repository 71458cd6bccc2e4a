/** §4.4.2 Runs of a project, newest first. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { refuseEmptyRange } from '#shared/engine/http/instant.ts';
import { makeRowReader, planReads } from '#shared/engine/http/page-source.ts';
import { type PageQuery, parseWalk, readPage } from '#shared/engine/http/pagination.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { presentBuild } from '../builds/tries-of-build.ts';
import type { RunsFilter } from '../filter-wire.ts';
import { type RunProgress, readProgressOfRun } from './live-counters.ts';
import { readGroupSummaries } from './read-run.ts';
import { presentWithBuild } from './run-feed.ts';
import type { RunFeedItem } from './run-wire.ts';
import { matchesRun } from './runs-filter.ts';

/** The maximum number of index rows per read. Each row points to one run. */
const READ_ROWS = 100;

type Item = z.infer<typeof RunFeedItem>;
type RunListPage<Shown> = { has_more: boolean; data: (Shown & { cursor: string })[] };

interface ListRunsRequest {
  readonly organizationId: string;
  readonly projectId: string;
  readonly query: RunsFilter & PageQuery;
}

export const listRuns = (services: Services, request: ListRunsRequest): Promise<RunListPage<Item>> =>
  readRunPage(services, request, {
    checksProject: true,
    present: async (run) => presentWithBuild(services, run, await readGroupSummaries(services, run)),
    mergesTries: false,
  });

/** If the counts of its groups are not stored, the item has live counters, which cost less to read. */
export type RunWithTotals = Item & { readonly progress?: RunProgress };

/** Lists runs with their counts, for the page of a project, which has already checked that the project exists. */
export const listRunsWithTotals = (services: Services, request: ListRunsRequest): Promise<RunListPage<RunWithTotals>> =>
  readRunPage(services, request, {
    checksProject: false,
    present: (run) => presentWithTotals(services, run),
    mergesTries: true,
  });

export const presentWithTotals = async (services: WithTable, run: Run): Promise<RunWithTotals> =>
  run.groups
    ? presentWithBuild(services, run, run.groups)
    : { ...(await presentWithBuild(services, run, [])), progress: await readProgressOfRun(services, run) };

async function readRunPage<Shown extends Item>(
  services: Services,
  { organizationId, projectId, query }: ListRunsRequest,
  {
    checksProject,
    present,
    mergesTries,
  }: {
    readonly checksProject: boolean;
    readonly present: (run: Run) => Promise<Shown>;
    /** Whether all tries of a build are one line, that of the newest try. */
    readonly mergesTries: boolean;
  },
): Promise<RunListPage<Shown>> {
  const { limit, starting_after, ending_before, ...filter } = query;
  refuseEmptyRange(filter.date_start, filter.date_end);
  // A cursor stays valid if only the dates change.
  const { date_start, date_end, ...filterWithoutDates } = filter;
  const scope = { list: `runs ${projectId}`, filters: filterWithoutDates };
  const cursors = await services.cursors(organizationId, scope);
  const walk = parseWalk({ limit, starting_after, ending_before }, cursors);
  // Read only after the request was validated: an invalid request for an unknown project gets 400 and not 404.
  if (checksProject) await findProject(services, { organizationId, projectId });
  const source = {
    span: getRunsSpan({ organizationId, projectId }, filter.date_start, filter.date_end),
    reads: planReads(limit, { isFiltered: !isUnfiltered(filter), most: READ_ROWS }),
    read: makeRowReader(services.table, runsOfProject),
    select: (rows: readonly RunKey[]) => (mergesTries ? selectBuilds : selectRuns)(services, rows, filter),
  };
  const page = await readPage(source, limit, walk);
  const data = page.items.map(async ({ position, item }) => ({
    ...(await present(item)),
    cursor: cursors.seal(position),
  }));
  return { has_more: page.hasMore, data: await Promise.all(data) };
}

const isUnfiltered = ({ tag_operator, date_start, date_end, ...filter }: RunsFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

export async function selectRuns(
  { table }: Services,
  rows: readonly RunKey[],
  filter: RunsFilter,
): Promise<(Run | undefined)[]> {
  const storedRuns = await table.getMany(runs, rows);
  return storedRuns.map((run) => (run && matchesRun(filter, run) ? run : undefined));
}

/** Like `selectRuns`, but leaves out earlier tries of builds. The status of a build is that of its merged view. */
async function selectBuilds(
  services: Services,
  rows: readonly RunKey[],
  filter: RunsFilter,
): Promise<(Run | undefined)[]> {
  const storedRuns = await services.table.getMany(runs, rows);
  return mapConcurrently(storedRuns, async (run) => {
    if (!run) return undefined;
    const build = await presentBuild(services, run);
    if (build && build.newestRunId !== run.runId) return undefined;
    const { status, completionState } = build ?? run;
    return matchesRun(filter, { ...run, status, completionState }) ? run : undefined;
  });
}
