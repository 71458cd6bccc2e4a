/** §4.4 Flaky tests that no rule quarantines. A person decides: no rule is ever made without one. */
import type { FlakyTestRow } from '#shared/analytics/flaky/flaky-wire.ts';
import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import { appliedRules, type Rule, unpackRules } from '#shared/model/rule.ts';
import type { CoreServices } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { type Matchable, matchesRule } from './match.ts';
import { hasExpired } from './status.ts';
import { withinTime } from './within-time.ts';

/** The flaky tests with the most evidence. A rule that also looks at branches or errors counts as none. */
export async function suggestQuarantine(
  services: Pick<CoreServices, 'table' | 'now'>,
  of: Pick<Rule, 'organizationId' | 'projectId'>,
): Promise<FlakyTestRow[]> {
  const query = { limit: RULE_LIMITS.suggestedFrom, page: 0, format: 'json' as const, state: ['flaky' as const] };
  const [flaky, applied] = await Promise.all([
    listFlakyTests(services, { ...of, query }),
    services.table.get(appliedRules, of),
  ]);
  const quarantines = (applied ? unpackRules(applied) : []).filter(
    (rule) => rule.action.some(({ op }) => op === 'quarantine') && !hasExpired(rule, services.now()),
  );
  const suggested: FlakyTestRow[] = [];
  withinTime(RULE_LIMITS.matchMilliseconds, () => {
    for (const test of flaky.list)
      if (!quarantines.some(({ matcher }) => matchesRule(matcher, matchableOf(test)))) suggested.push(test);
  });
  return suggested.slice(0, RULE_LIMITS.suggested);
}

const matchableOf = ({ spec, title }: FlakyTestRow): Matchable => ({
  ...{ title: title.at(-1) ?? '', titlePath: [spec, ...title], file: spec, project: '', testId: '' },
});
