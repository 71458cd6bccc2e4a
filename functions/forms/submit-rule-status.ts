import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { requireVisitedRule } from '#shared/pages/rules/rule-of-visit.ts';
import { linkToRules, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';
import { disableRule, enableRule } from '#shared/rules/update-rule.ts';

const CHANGES = { enabled: enableRule, disabled: disableRule };

export const handler = form({
  operationId: 'submitRuleStatus',
  route: 'POST /{organizationId}/{projectId}/actions/{actionId}/status',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  fields: z.object({
    status: z.enum(['enabled', 'disabled']),
    back: z.enum(['rule', 'rules', 'test']).default('rule'),
    /** The signature of the test whose page is shown next, if `back` is `test`. */
    signature: id.default(''),
  }),
  page: 'showRule',
  async submit({ visit, caller, path: { actionId }, fields: { status, back, signature } }, services) {
    await requireVisitedRule(services, visit, actionId);
    await CHANGES[status](services, { ...caller, actionId });
    const hrefs = { rule: linkToRules(visit, actionId), rules: linkToRules(visit), test: linkToTest(visit, signature) };
    return redirect(hrefs[back]);
  },
});
