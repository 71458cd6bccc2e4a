import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/audit-record.ts';
import { id } from '#shared/model/names.ts';
import { appliedRules, rules } from '#shared/model/rule.ts';
import { ruleHref } from '#shared/pages/hrefs.ts';
import { bodyOf, draftIn, ruleFields } from '#shared/pages/rule-fields.ts';
import { ruleOfVisit } from '#shared/pages/rule-of-visit.ts';
import { form } from '#shared/platform/page.ts';
import { validated } from '#shared/platform/request.ts';
import { NewAction } from '#shared/rules/rule-wire.ts';
import { updateRule } from '#shared/rules/update-rule.ts';

export const handler = form({
  operationId: 'submitRuleChange',
  route: 'POST /{organizationId}/{projectId}/actions/{actionId}/edit',
  needs: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  path: { actionId: id },
  fields: ruleFields,
  page: 'showEditRule',
  async submit({ visit, path: { actionId }, fields }, services) {
    const { organizationId, person: actor } = visit;
    const { expiresAfter } = await ruleOfVisit(services, visit, actionId);
    const sent = validated(NewAction, bodyOf(draftIn(fields)));
    // The form knows days only. An unchanged day must not move the end.
    const isSameDay =
      sent.expiresAfter !== null &&
      new Date(sent.expiresAfter).toISOString().slice(0, 10) === expiresAfter?.slice(0, 10);
    const input = isSameDay ? { ...sent, expiresAfter: undefined } : sent;
    await updateRule(services, { organizationId, actionId, actor, input });
    return redirect(ruleHref(visit, actionId));
  },
});
