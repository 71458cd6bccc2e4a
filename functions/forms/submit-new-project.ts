import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNewProject',
  route: 'POST /{organizationId}/projects/new',
  needs: 'projects:write',
  access: {
    table: 'readWrite',
    writes: [projects, projectsOfOrganization, auditRecords, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, name: z.string(), defaultBranchName: z.string() }),
  page: 'showNewProject',
  async submit({ visit, caller, fields }, services) {
    const { projectId } = await createProject(services, { ...caller, ...fields });
    return redirect(linkToRuns({ ...visit, projectId }));
  },
});
