import * as z from 'zod';
import { endpoint } from '#shared/endpoint.ts';
import { cursorPageOf, ok } from '#shared/envelope.ts';
import { LIMITS } from '#shared/limits.ts';
import { cursorQuery } from '#shared/pagination.ts';
import { Project } from '#shared/resources/project.ts';
import { listProjects } from '#shared/results/list-projects.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'listProjects',
  route: 'GET /projects',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Projects of the organization, newest first',
  query: z.object(cursorQuery(LIMITS.cursorPage)),
  response: cursorPageOf(Project),
  async handle({ caller: { organizationId }, query }, services) {
    return ok(await listProjects(services, { organizationId, query }));
  },
});
