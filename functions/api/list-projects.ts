import * as z from 'zod';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery, suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { shortenProjects } from '#shared/mcp/shorter-projects.ts';
import { Project } from '#shared/model/organizations/project.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { noteRepositories } from '#shared/results/notes-for-models.ts';
import { listProjects } from '#shared/results/runs/list-projects.ts';

/** §4.4.1 */
export const handler = endpoint({
  operationId: 'listProjects',
  route: 'GET /projects',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the projects of the organization, newest first',
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  response: cursorPageOf(Project),
  limit: suggestSmallerPage,
  tool: {
    description:
      'Start here: other tools need a `projectId`. Also shows the default branch and retention of each project.',
    answer: shortenProjects,
    note: ({ request: { actor }, result, services }) =>
      noteRepositories(
        services,
        result.data.map(({ projectId }) => ({ organizationId: actor.organizationId, projectId })),
      ),
    next: 'list_runs or find_run for runs, list_flaky_tests, list_errors or get_insights for trends, all with `projectId`.',
  },
  async handle({ caller, query }, services) {
    return wrapOk(await listProjects(services, { ...caller, query }));
  },
});
