import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { dueProjects } from '#shared/model/due.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { Project, presentProject, projects } from '#shared/model/organizations/project.ts';
import { restoreProject } from '#shared/organizations/delete-project.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'restoreProject',
  route: 'PUT /projects/{projectId}/restore',
  permission: 'projects:write',
  access: { table: 'readWrite', writes: [projects, dueProjects, auditRecords], artifacts: 'none' },
  summary: 'Restore a deleted project before its data is removed',
  description: 'Changes nothing if the project is not deleted.',
  response: single(Project),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller }, services) {
    const project = await restoreProject(services, caller);
    return wrapData(presentProject(project, services.defaultRetention));
  },
});
