import { ok, single } from '#shared/engine/http/envelope.ts';
import { findProject } from '#shared/find-project.ts';
import { id } from '#shared/model/names.ts';
import { Project, presentProject } from '#shared/model/organizations/project.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.1 */
export const handler = endpoint({
  operationId: 'getProject',
  route: 'GET /projects/{projectId}',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get one project',
  path: { projectId: id },
  response: single(Project),
  refuses: ['notFound'],
  tool: 'none',
  async handle({ caller }, services) {
    const project = await findProject(services, caller);
    return ok({ data: presentProject(project, services.defaultRetention) });
  },
});
