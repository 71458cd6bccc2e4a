import * as z from 'zod';
import { pageFormat } from '#shared/engine/http/csv.ts';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery, suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { shortenPullRequests } from '#shared/mcp/shorter-results.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { makePullRequestsFile } from '#shared/results/runs/csv-files.ts';
import { listPullRequests } from '#shared/results/runs/list-pull-requests.ts';
import { PullRequestWire, pullRequestsQuery, TOTAL } from '#shared/results/runs/pull-requests-wire.ts';

/** §4.4.8 */
export const handler = endpoint({
  operationId: 'listPullRequests',
  route: 'GET /projects/{projectId}/pull-requests',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the pull requests of a project, the one with the newest run first',
  description: 'The filters apply to the newest run of each pull request.',
  query: z.object({ ...cursorQuery(PAGE_LIMITS.cursorPage), ...pullRequestsQuery, format: pageFormat() }),
  response: cursorPageOf(PullRequestWire).extend({ total: TOTAL }),
  content: ['csv'],
  limit: suggestSmallerPage,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it for the test status of one pull request, or of all pull requests of an author. Needs `projectId` from list_projects.',
    defaults: { limit: 5 },
    without: { format: 'Tools answer with JSON' },
    answer: shortenPullRequests,
    next: 'get_run_comparison with `runId` for what a pull request broke, get_context with `run_id` for the errors.',
  },
  async handle({ caller, query }, services) {
    const { format, ...listQuery } = query;
    const page = await listPullRequests(services, { ...caller, query: listQuery });
    return format === 'csv' ? makePullRequestsFile(page) : wrapOk(page);
  },
});
