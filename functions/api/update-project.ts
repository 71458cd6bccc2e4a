import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { Project, presentProject, projects } from '#shared/model/organizations/project.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { ProjectChange } from '#shared/organizations/project-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'updateProject',
  route: 'PUT /projects/{projectId}',
  permission: 'projects:write',
  access: { table: 'readWrite', writes: [projects, auditRecords], artifacts: 'none' },
  summary: 'Change the settings of a project',
  description: 'Send at least one member. Omitted members stay unchanged.',
  body: ProjectChange,
  response: single(Project),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, body: settings }, services) {
    const project = await changeProjectSettings(services, { ...caller, settings });
    return wrapData(presentProject(project, services.defaultRetention));
  },
});
