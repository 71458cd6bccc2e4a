import * as z from 'zod';
import { cursorPageOf, ok } from '#shared/engine/http/envelope.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery, smallerPage } from '#shared/engine/http/pagination.ts';
import { Project } from '#shared/model/project.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listProjects } from '#shared/results/list-projects.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'listProjects',
  route: 'GET /projects',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the projects of the organization, newest first',
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  response: cursorPageOf(Project),
  limit: smallerPage,
  async handle({ actor: { organizationId }, query }, services) {
    return ok(await listProjects(services, { organizationId, query }));
  },
});
