import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { parseSettingsChange } from '#shared/organizations/entered-settings.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { SentSettings } from '#shared/pages/settings/settings-wire.ts';
import { linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitProjectSettings',
  route: 'POST /{organizationId}/{projectId}/settings',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [projects, auditRecords], artifacts: 'none' },
  fields: SentSettings,
  page: 'showProjectSettings',
  async submit({ visit, caller, fields }, services) {
    await changeProjectSettings(services, { ...caller, settings: (project) => parseSettingsChange(project, fields) });
    return redirect(linkToProjectSettings(visit));
  },
});
