import * as z from 'zod';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { makeRuleBreadcrumbs } from '#shared/pages/rules/rule-names.tsx';
import { requireVisitedRule } from '#shared/pages/rules/rule-of-visit.ts';
import { RulePage } from '#shared/pages/rules/rule-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listExecutionsOfRule } from '#shared/rules/list-executions.ts';
import { reviewRule } from '#shared/rules/warnings.ts';

export const handler = page({
  operationId: 'showRule',
  route: 'GET /{organizationId}/{projectId}/actions/{actionId}',
  needs: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object(cursorQuery(PAGE_LIMITS.cursorPage)),
  async show({ visit, caller, path: { actionId }, query, refused }, services) {
    const rule = await requireVisitedRule(services, visit, actionId);
    const reviewedRule = await reviewRule(services, caller.organizationId, rule);
    const nameOf = await loadActorNames(services, [rule.createdBy]);
    const range = { date_start: 0, date_end: services.now() + 1 };
    const result = await listExecutionsOfRule(services, { ...caller, actionId, query: { ...query, ...range } });
    return {
      title: rule.name,
      tab: 'Rules',
      breadcrumbs: makeRuleBreadcrumbs(visit, rule.name),
      body: (
        <RulePage
          {...{ visit, reviewed: reviewedRule, nameOf, executions: result.data, paging: { query, ...result }, refused }}
        />
      ),
    };
  },
});
