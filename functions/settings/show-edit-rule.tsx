import { makeFormId } from '#shared/organizations/only-once.ts';
import { computePreview } from '#shared/pages/rules/previewed.ts';
import { parseRuleDraft, toRuleDraft } from '#shared/pages/rules/rule-fields.ts';
import { RuleForm } from '#shared/pages/rules/rule-form.tsx';
import { ruleQuery } from '#shared/pages/rules/rule-form-wire.ts';
import { makeRuleBreadcrumbs } from '#shared/pages/rules/rule-names.tsx';
import { requireVisitedRule } from '#shared/pages/rules/rule-of-visit.ts';
import { UnknownConditions } from '#shared/pages/rules/unknown-conditions.tsx';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showEditRule',
  route: 'GET /{organizationId}/{projectId}/actions/{actionId}/edit',
  needs: 'actions:write',
  access: { table: 'read', artifacts: 'none' },
  query: ruleQuery,
  async show({ visit, path: { actionId }, query: { show, ...query }, refused }, services) {
    const rule = await requireVisitedRule(services, visit, actionId);
    const formValues = refused?.values ?? (show === undefined ? undefined : query);
    const draft = formValues ? parseRuleDraft(formValues) : toRuleDraft(rule);
    const preview = show === 'preview' && draft && !refused ? await computePreview(services, visit, draft) : undefined;
    const heading = `Change ${rule.name}`;
    const action = linkToRules(visit, actionId, 'edit');
    const cancelHref = linkToRules(visit, actionId);
    const form = { visit, refused, preview, heading, action, cancelHref, formId: makeFormId(services) };
    return {
      title: heading,
      tab: 'Rules',
      hasSecret: true,
      breadcrumbs: makeRuleBreadcrumbs(visit, heading),
      body: draft ? (
        <RuleForm {...form} draft={draft} of="submitRuleChange" save="Save rule" />
      ) : (
        <UnknownConditions heading={heading} actionId={actionId} backHref={cancelHref} />
      ),
    };
  },
});
