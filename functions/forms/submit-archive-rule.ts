import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, archivedRules, rules } from '#shared/model/rules/rule.ts';
import { requireVisitedRule } from '#shared/pages/rules/rule-of-visit.ts';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { archiveRule } from '#shared/rules/update-rule.ts';

export const handler = form({
  operationId: 'submitArchiveRule',
  route: 'POST /{organizationId}/{projectId}/actions/{actionId}/archive',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, archivedRules, appliedRules, auditRecords], artifacts: 'none' },
  page: 'showArchiveRule',
  async submit({ visit, caller, path: { actionId } }, services) {
    await requireVisitedRule(services, visit, actionId);
    await archiveRule(services, { ...caller, actionId });
    return redirect(linkToRules(visit));
  },
});
