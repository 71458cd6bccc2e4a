import { makeFormId } from '#shared/organizations/only-once.ts';
import { computePreview } from '#shared/pages/rules/previewed.ts';
import { addDays, parseRuleDraft } from '#shared/pages/rules/rule-fields.ts';
import { RuleForm } from '#shared/pages/rules/rule-form.tsx';
import { ruleQuery } from '#shared/pages/rules/rule-form-wire.ts';
import { makeRuleBreadcrumbs } from '#shared/pages/rules/rule-names.tsx';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { page } from '#shared/platform/page.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';

export const handler = page({
  operationId: 'showNewRule',
  route: 'GET /{organizationId}/{projectId}/actions/new',
  needs: 'actions:write',
  access: { table: 'read', artifacts: 'none' },
  query: ruleQuery,
  async show({ visit, query: { show, ...query }, refused }, services) {
    const byDefault = show === undefined ? { expires: addDays(services.now(), RULE_LIMITS.quarantineDays) } : {};
    const draft = parseRuleDraft(refused?.values ?? { ...byDefault, ...query });
    const preview = show === 'preview' && !refused ? await computePreview(services, visit, draft) : undefined;
    const form = { visit, draft, refused, preview, formId: makeFormId(services) };
    return {
      title: 'New rule',
      tab: 'Rules',
      hasSecret: true,
      breadcrumbs: makeRuleBreadcrumbs(visit, 'New rule'),
      body: (
        <RuleForm
          {...form}
          heading="New rule"
          action={linkToRules(visit, 'new')}
          of="submitNewRule"
          save="Create rule"
          cancelHref={linkToRules(visit)}
        />
      ),
    };
  },
});
