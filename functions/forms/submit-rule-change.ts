import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { keepExpiry, parseRuleDraft, toRuleBody } from '#shared/pages/rules/rule-fields.ts';
import { ruleFields } from '#shared/pages/rules/rule-form-wire.ts';
import { requireVisitedRule } from '#shared/pages/rules/rule-of-visit.ts';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { validatePart } from '#shared/platform/request.ts';
import { NewAction } from '#shared/rules/rule-wire.ts';
import { updateRule } from '#shared/rules/update-rule.ts';

export const handler = form({
  operationId: 'submitRuleChange',
  route: 'POST /{organizationId}/{projectId}/actions/{actionId}/edit',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  fields: ruleFields,
  page: 'showEditRule',
  async submit({ visit, caller, path: { actionId }, fields }, services) {
    const before = await requireVisitedRule(services, visit, actionId);
    const input = keepExpiry(validatePart(NewAction, toRuleBody(parseRuleDraft(fields))), before);
    await updateRule(services, { ...caller, actionId, input });
    return redirect(linkToRules(visit, actionId));
  },
});
