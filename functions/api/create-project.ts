import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { Project, presentProject, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { NewProject } from '#shared/organizations/project-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'createProject',
  route: 'POST /projects',
  permission: 'projects:write',
  access: { table: 'readWrite', writes: [projects, projectsOfOrganization, auditRecords], artifacts: 'none' },
  summary: 'Create a project',
  body: NewProject,
  success: 201,
  response: single(Project),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, body }, services) {
    const project = await createProject(services, { ...body, ...caller });
    return wrapData(presentProject(project, services.defaultRetention));
  },
});
