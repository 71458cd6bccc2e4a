import * as z from 'zod';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { RulesPage } from '#shared/pages/rules/rules-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listRules } from '#shared/rules/find-rule.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import { listRenamedTests } from '#shared/rules/renamed-tests.ts';
import { RULE_STATUSES } from '#shared/rules/status.ts';
import { suggestQuarantine } from '#shared/rules/suggest-quarantine.ts';
import { reviewRules } from '#shared/rules/warnings.ts';

export const handler = page({
  operationId: 'showRules',
  route: 'GET /{organizationId}/{projectId}/actions',
  needs: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({
    status: z.array(z.enum(RULE_STATUSES)).min(1).default(['active', 'disabled', 'expired']),
    page: z.int().min(0).max(RULE_LIMITS.rulesPerProject).default(0),
  }),
  async show({ caller, query: { status, page: number }, at }, services) {
    const all = await listRules(services, { ...caller, status });
    const { list, total, nextPage } = paginateByOffset(all, { limit: RULE_LIMITS.reviewedRules, page: number });
    const rules = await reviewRules(services, caller.organizationId, list);
    const [suggestions, renamedTests] = await Promise.all([
      suggestQuarantine(services, caller),
      listRenamedTests(services, caller),
    ]);
    const nameOf = await loadActorNames(
      services,
      list.map(({ createdBy }) => createdBy),
    );
    const props = { at, status, rules, page: number, total, nextPage, suggested: suggestions, renamed: renamedTests };
    return {
      title: 'Rules',
      tab: 'Rules',
      body: <RulesPage {...props} nameOf={nameOf} now={services.now()} />,
    };
  },
});
