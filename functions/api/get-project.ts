import { notFound, refuse } from '#shared/engine/errors.ts';
import { ok, single } from '#shared/engine/http/envelope.ts';
import { id } from '#shared/model/names.ts';
import { Project, presentProject, projects } from '#shared/model/organizations/project.ts';
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
  async handle({ actor: { organizationId }, path: { projectId } }, { table, defaultRetention }) {
    const project = (await table.get(projects, { organizationId, projectId })) ?? refuse(notFound('Project'));
    return ok({ data: presentProject(project, defaultRetention) });
  },
});
