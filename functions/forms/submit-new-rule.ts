import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { parseRuleDraft, toRuleBody } from '#shared/pages/rules/rule-fields.ts';
import { ruleFields } from '#shared/pages/rules/rule-form-wire.ts';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { validatePart } from '#shared/platform/request.ts';
import { createRule } from '#shared/rules/create-rule.ts';
import { NewAction } from '#shared/rules/rule-wire.ts';

const FormId = z.object({ formId: id });

export const handler = form({
  operationId: 'submitNewRule',
  route: 'POST /{organizationId}/{projectId}/actions/new',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords, submittedForms], artifacts: 'none' },
  fields: ruleFields,
  page: 'showNewRule',
  async submit({ visit, caller, fields }, services) {
    const input = validatePart(NewAction, toRuleBody(parseRuleDraft(fields)));
    const { formId } = validatePart(FormId, fields);
    const creation = { ...caller, formId, input };
    const { actionId } = await createRule(services, creation);
    return redirect(linkToRules(visit, actionId));
  },
});
