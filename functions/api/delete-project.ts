import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { dueProjects } from '#shared/model/due.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { Project, presentProject, projects } from '#shared/model/organizations/project.ts';
import { deleteProject } from '#shared/organizations/delete-project.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'deleteProject',
  route: 'DELETE /projects/{projectId}',
  permission: 'projects:write',
  access: { table: 'readWrite', writes: [projects, dueProjects, auditRecords], artifacts: 'none' },
  summary: 'Delete a project: it is removed with its data after 30 days',
  description:
    'Until `deletesAt`, the project can be read and restored, but records no new runs. Repeating the request does not change `deletesAt`.',
  response: single(Project),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller }, services) {
    const project = await deleteProject(services, caller);
    return wrapData(presentProject(project, services.defaultRetention));
  },
});
