import * as z from 'zod';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery, suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { shortenRuns } from '#shared/mcp/shorter-runs.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { runsFilterQuery } from '#shared/results/filter-wire.ts';
import { noteOtherRuns } from '#shared/results/notes-for-models.ts';
import { listRuns } from '#shared/results/runs/list-runs.ts';
import { RunFeedItem } from '#shared/results/runs/run-wire.ts';

/** §4.4.2 */
export const handler = endpoint({
  operationId: 'listRuns',
  route: 'GET /projects/{projectId}/runs',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the runs of a project, newest first',
  query: z.object({ ...cursorQuery(PAGE_LIMITS.cursorPage), ...runsFilterQuery }),
  response: cursorPageOf(RunFeedItem),
  limit: suggestSmallerPage,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to find runs by status, branch, tag, author or pull request. Does main fail now? `branches: ["main"], limit: 1`, without `status`. With `status: ["FAILED"]` it finds the last failed run, even if newer ones passed. Needs `projectId` from list_projects.',
    defaults: { limit: 5 },
    answer: shortenRuns,
    note: ({ request: { caller, query }, result, services }) =>
      noteOtherRuns(services, { project: caller, query, runs: result.data }),
    next: 'get_context with `run_id` for the errors of a run, get_run_comparison with `runId` for new failures.',
  },
  async handle({ caller, query }, services) {
    return wrapOk(await listRuns(services, { ...caller, query }));
  },
});
