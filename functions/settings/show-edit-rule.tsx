import { makeFormId } from '#shared/organizations/only-once.ts';
import { previewOf } from '#shared/pages/rules/previewed.ts';
import { draftIn, draftOfRule } from '#shared/pages/rules/rule-fields.ts';
import { RuleForm } from '#shared/pages/rules/rule-form.tsx';
import { ruleQuery } from '#shared/pages/rules/rule-form-wire.ts';
import { ruleBreadcrumbs } from '#shared/pages/rules/rule-names.tsx';
import { ruleOfVisit } from '#shared/pages/rules/rule-of-visit.ts';
import { UnknownConditions } from '#shared/pages/rules/unknown-conditions.tsx';
import { rulesHref } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showEditRule',
  route: 'GET /{organizationId}/{projectId}/actions/{actionId}/edit',
  needs: 'actions:write',
  access: { table: 'read', artifacts: 'none' },
  query: ruleQuery,
  async show({ visit, path: { actionId }, query: { show, ...query }, refused }, services) {
    const rule = await ruleOfVisit(services, visit, actionId);
    const sent = refused?.values ?? (show === undefined ? undefined : query);
    const draft = sent ? draftIn(sent) : draftOfRule(rule);
    const preview = show === 'preview' && draft && !refused ? await previewOf(services, visit, draft) : undefined;
    const heading = `Change ${rule.name}`;
    const action = rulesHref(visit, actionId, 'edit');
    const cancelHref = rulesHref(visit, actionId);
    const form = { visit, refused, preview, heading, action, cancelHref, formId: makeFormId(services) };
    return {
      title: heading,
      tab: 'Rules',
      hasSecret: true,
      breadcrumbs: ruleBreadcrumbs(visit, heading),
      body: draft ? (
        <RuleForm {...form} draft={draft} of="submitRuleChange" save="Save rule" />
      ) : (
        <UnknownConditions heading={heading} actionId={actionId} backHref={cancelHref} />
      ),
    };
  },
});
