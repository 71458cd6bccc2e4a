import { redirect } from '#shared/engine/http/content.ts';
import { dueProjects } from '#shared/model/due.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { restoreProject } from '#shared/organizations/delete-project.ts';
import { linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRestoreProject',
  route: 'POST /{organizationId}/{projectId}/settings/restore',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [projects, dueProjects, auditRecords], artifacts: 'none' },
  page: 'showProjectSettings',
  async submit({ visit, caller }, services) {
    await restoreProject(services, caller);
    return redirect(linkToProjectSettings(visit));
  },
});
