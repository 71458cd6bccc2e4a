import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { projects } from '#shared/model/project.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { enteredRetention } from '#shared/organizations/retention-inputs.ts';
import { projectSettingsHref } from '#shared/pages/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitProjectSettings',
  route: 'POST /{organizationId}/{projectId}/settings',
  needs: 'projects:write',
  access: { table: 'readWrite', writes: [projects, auditRecords], artifacts: 'none' },
  fields: z.object({
    name: z.string(),
    defaultBranchName: z.string(),
    timeoutMinutes: z.string(),
    failFast: z.string().optional(),
    resultsDays: z.string(),
    evidenceDays: z.string(),
    filesDays: z.string(),
  }),
  page: 'showProjectSettings',
  async submit({ visit, fields }, services) {
    const { organizationId, projectId, person: actor } = visit;
    const { name, defaultBranchName, timeoutMinutes, failFast, ...days } = fields;
    const settings = {
      ...{ name, defaultBranchName, failFast: failFast === 'true' },
      inactivityTimeoutSeconds: Math.round(Number(timeoutMinutes) * 60),
      retention: enteredRetention(visit.project.retention, days),
    };
    await changeProjectSettings(services, { organizationId, projectId, actor, settings });
    return redirect(projectSettingsHref(visit));
  },
});
