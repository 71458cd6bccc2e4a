import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';
import { cursorPageOf, ok } from '#shared/envelope.ts';
import { LIMITS } from '#shared/limits.ts';
import { cursorQuery } from '#shared/pagination.ts';
import { id } from '#shared/resources/names.ts';
import { listRuns } from '#shared/results/list-runs.ts';
import { RunFeedItem } from '#shared/results/run-feed.ts';
import { runsFilterQuery } from '#shared/results/runs-filter.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'listRuns',
  route: 'GET /projects/{projectId}/runs',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Runs of a project, newest first',
  path: { projectId: id },
  query: z.object({ ...cursorQuery(LIMITS.cursorPage), ...runsFilterQuery }),
  response: cursorPageOf(RunFeedItem),
  async handle({ caller: { organizationId }, path: { projectId }, query }, services) {
    return ok(await listRuns(services, { organizationId, projectId, query }));
  },
});
