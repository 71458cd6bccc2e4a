import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { notFound, refuse } from '#shared/errors.ts';
import { id } from '#shared/resources/names.ts';
import { Project, presentProject, projects } from '#shared/resources/project.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'getProject',
  route: 'GET /projects/{projectId}',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'One project',
  path: { projectId: id },
  response: single(Project),
  async handle({ caller: { organizationId }, path: { projectId } }, { table }) {
    const project = (await table.get(projects, { organizationId, projectId })) ?? refuse(notFound('Project'));
    return ok({ data: presentProject(project) });
  },
});
