import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { changeAutomation } from '#shared/issues/automation/settings.ts';
import { dueIssues } from '#shared/model/due.ts';
import { issueAutomation, issueTracking } from '#shared/model/issues/issue-automation.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { ISSUE_AUTOMATION_FIELDS, toAutomationSettings } from '#shared/pages/settings/issue-automation-wire.ts';
import { linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

/** §5.2 */
export const handler = form({
  operationId: 'submitIssueAutomation',
  route: 'POST /{organizationId}/{projectId}/settings/issues',
  needs: 'projects:write',
  access: {
    table: 'readWrite',
    writes: [issueAutomation, issueTracking, dueIssues, auditRecords],
    artifacts: 'none',
  },
  fields: z.object(ISSUE_AUTOMATION_FIELDS),
  page: 'showProjectSettings',
  async submit({ visit, caller, fields }, services) {
    await changeAutomation(services, { ...caller, settings: toAutomationSettings(fields) });
    return redirect(linkToProjectSettings(visit));
  },
});
