import { makeRuleBreadcrumbs } from '#shared/pages/rules/rule-names.tsx';
import { requireVisitedRule } from '#shared/pages/rules/rule-of-visit.ts';
import { linkToRules } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { page } from '#shared/platform/page.ts';

export const handler = page({
  operationId: 'showArchiveRule',
  route: 'GET /{organizationId}/{projectId}/actions/{actionId}/archive',
  needs: 'actions:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { actionId }, refused }, services) {
    const { name } = await requireVisitedRule(services, visit, actionId);
    const question = `Archive the rule ${name}?`;
    return {
      title: question,
      tab: 'Rules',
      breadcrumbs: makeRuleBreadcrumbs(visit, question),
      body: (
        <QuestionPage
          question={question}
          action={linkToRules(visit, actionId, 'archive')}
          refused={refused}
          yes="Archive rule"
          back={linkToRules(visit, actionId)}
        >
          Once the rule is archived, it no longer affects the tests that it matches. An archived rule cannot be enabled
          again.
        </QuestionPage>
      ),
    };
  },
});
