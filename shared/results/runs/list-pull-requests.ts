/** §4.4.8 Lists the pull requests of a project, sorted by their newest run. */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { makeRowReader, type PageSource, planReads, type ReadOptions } from '#shared/engine/http/page-source.ts';
import { type Page, type PageQuery, parseWalk, readPage, type Walk } from '#shared/engine/http/pagination.ts';
import type { Span } from '#shared/engine/table/entity.ts';
import type { Rows } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import {
  getProjectPullRequestsSpan,
  getRunsOfPullRequestSpan,
  pullRequestRuns,
  runsOfPullRequest,
} from '#shared/model/runs/pull-request.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { contains } from '../contains.ts';
import { matchesGlob } from '../glob.ts';
import { RESULT_LIMITS } from '../limits.ts';
import type { PullRequestsFilter, PullRequestWire, pullRequestsQuery } from './pull-requests-wire.ts';
import { readGroupSummaries } from './read-run.ts';
import { presentWithBuild } from './run-feed.ts';
import { matchesRun } from './runs-filter.ts';

/** Index rows per read. Each row points to a run, and each pull request among them costs one more read. */
const READ_ROWS = 100;

type Pointer = Parameters<typeof runsOfPullRequest.key>[0];

interface FoundPullRequest {
  readonly newest: Run;
  readonly pointers: readonly Pointer[];
}

export async function listPullRequests(
  services: Services,
  {
    organizationId,
    projectId,
    query,
  }: { organizationId: string; projectId: string; query: PageQuery & z.output<z.ZodObject<typeof pullRequestsQuery>> },
): Promise<{ has_more: boolean; total?: number | undefined; data: (PullRequestWire & { cursor: string })[] }> {
  const { limit, starting_after, ending_before, runs_per_pr, order, include_total, ...filter } = query;
  const cursors = await services.cursors(organizationId, { list: `pull-requests ${projectId}`, filters: filter });
  const walk = parseWalk({ limit, starting_after, ending_before }, cursors);
  await findProject(services, { organizationId, projectId });
  const source = {
    ...makePointerSource(services, { organizationId, projectId }, filter),
    // Reads more rows than the page has items, because several rows may belong to the same pull request.
    reads: planReads(limit, { isFiltered: true, most: READ_ROWS }),
    select: (rows: readonly Pointer[]) => selectNewest(services, rows, { filter, runs: runs_per_pr }),
  };
  const [page, total] = await Promise.all([
    readPageInOrder(filter.dir, source, limit, walk),
    include_total ? countPullRequests(source) : undefined,
  ]);
  const data = await mapConcurrently(page.items, async ({ position, item }) => ({
    ...(await presentPullRequest(services, item)),
    cursor: cursors.seal(position),
  }));
  return { has_more: page.hasMore, total, data };
}

/** Up to a limit. Reads each pull request, because filters apply to its newest run. */
async function countPullRequests(source: PageSource<Pointer, FoundPullRequest>): Promise<number> {
  const most = RESULT_LIMITS.countedPullRequests;
  const reads = planReads(READ_ROWS - 1, { isFiltered: false, most: READ_ROWS });
  const { items } = await readPage({ ...source, reads }, most, { direction: 'older', after: undefined });
  return items.length;
}

function makePointerSource({ table }: Services, project: ProjectKey, { pr_id: pullRequestId }: PullRequestsFilter) {
  if (pullRequestId === undefined)
    return { span: getProjectPullRequestsSpan(project), read: makeRowReader(table, pullRequestRuns) };
  const span = getRunsOfPullRequestSpan({ ...project, pullRequestId });
  /** Only the newest run, because the list contains each pull request once, at the position of its newest run. */
  const read = async (within: Span, { after }: ReadOptions): Promise<Rows<Pointer>> => {
    const { rows } = await table.query(runsOfPullRequest, within, { limit: 1, newestFirst: true });
    return { rows: rows.filter(({ sk }) => sk !== after), read: rows.length, lastRead: undefined };
  };
  return { span, read };
}

/** Reads a page in either order. In ascending order, the page is read in the opposite direction and then reversed. */
async function readPageInOrder(
  dir: PullRequestsFilter['dir'],
  source: PageSource<Pointer, FoundPullRequest>,
  limit: number,
  walk: Walk,
): Promise<Page<FoundPullRequest>> {
  if (dir === 'desc') return readPage(source, limit, walk);
  const { after = '' } = walk;
  const page = await readPage(
    source,
    limit,
    walk.direction === 'older' ? { direction: 'newer', after } : { direction: 'older', after },
  );
  return { ...page, items: page.items.toReversed() };
}

/** Keeps the rows that point to the newest run of a pull request, if it matches. Others become `undefined`. */
async function selectNewest(
  { table }: Services,
  rows: readonly Pointer[],
  { filter, runs: limit }: { readonly filter: PullRequestsFilter; readonly runs: number },
): Promise<(FoundPullRequest | undefined)[]> {
  const byId = new Map(rows.map((row) => [row.pullRequestId, row]));
  const pointerLists = await mapConcurrently([...byId.values()], async (row) => {
    const read = await table.query(runsOfPullRequest, getRunsOfPullRequestSpan(row), { limit, newestFirst: true });
    return [row.pullRequestId, read.rows.map(({ item }) => item)] as const;
  });
  const pointersOf = new Map(pointerLists);
  const places = rows.filter(({ pullRequestId, runId }) => pointersOf.get(pullRequestId)?.[0]?.runId === runId);
  const newestRuns = new Map((await table.getMany(runs, places)).map((run) => [run?.runId, run]));
  return rows.map(({ pullRequestId, runId }) => {
    const run = newestRuns.get(runId);
    return run && matchesPullRequest(filter, run)
      ? { newest: run, pointers: pointersOf.get(pullRequestId) ?? [] }
      : undefined;
  });
}

const matchesPullRequest = ({ search, authors, dir, ...filter }: PullRequestsFilter, run: Run): boolean =>
  matchesRun(filter, run) &&
  (search === undefined || contains(`${run.pullRequest?.id} ${run.pullRequest?.title ?? ''}`, search)) &&
  (authors === undefined ||
    [run.commit.authorName, run.commit.authorEmail].some(
      (author) => author !== null && authors.some((pattern) => matchesGlob(pattern, author)),
    ));

async function presentPullRequest(
  services: Services,
  { newest, pointers }: FoundPullRequest,
): Promise<PullRequestWire> {
  const [, ...older] = pointers;
  const others = (await services.table.getMany(runs, older)).flatMap((run) => run ?? []);
  return {
    id: newest.pullRequest?.id ?? '',
    title: newest.pullRequest?.title ?? null,
    lastRunAt: formatIsoTime(newest.createdAt),
    runs: await mapConcurrently([newest, ...others], async (run) =>
      presentWithBuild(services, run, await readGroupSummaries(services, run)),
    ),
  };
}
