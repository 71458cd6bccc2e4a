import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { dueProjects } from '#shared/model/due.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { deleteProject } from '#shared/organizations/delete-project.ts';
import { linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitDeleteProject',
  route: 'POST /{organizationId}/{projectId}/settings/delete',
  needs: 'projects:write',
  fresh: 'delete a project',
  access: { table: 'readWrite', writes: [projects, dueProjects, auditRecords], artifacts: 'none' },
  fields: z.object({ name: z.string().default('') }),
  page: 'showDeleteProject',
  async submit({ visit, caller, fields: { name: typedName } }, services) {
    await deleteProject(services, { ...caller, typedName });
    return redirect(linkToProjectSettings(visit));
  },
});
