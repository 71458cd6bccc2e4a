import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { Project, presentProject, projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { NewProject } from '#shared/organizations/project-wire.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { repeatByKey } from '#shared/platform/idempotency-key.ts';

/** §5.2 */
export const handler = endpoint({
  operationId: 'createProject',
  route: 'POST /projects',
  permission: 'projects:write',
  access: {
    table: 'readWrite',
    writes: [projects, projectsOfOrganization, auditRecords, submittedForms],
    artifacts: 'none',
  },
  summary: 'Create a project',
  body: NewProject,
  success: 201,
  repeats: repeatByKey,
  response: single(Project),
  refuses: ['notFound', 'conflict'],
  tool: 'none',
  async handle({ caller, body }, services) {
    const project = await createProject(services, { ...body, ...caller });
    return wrapData(presentProject(project, services.defaultRetention));
  },
});
