import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { findProject } from '#shared/find-project.ts';
import { Project, presentProject } from '#shared/model/organizations/project.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.1 */
export const handler = endpoint({
  operationId: 'getProject',
  route: 'GET /projects/{projectId}',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get one project',
  response: single(Project),
  refuses: ['notFound'],
  tool: 'none',
  async handle({ caller }, services) {
    const project = await findProject(services, caller);
    return wrapData(presentProject(project, services.defaultRetention));
  },
});
