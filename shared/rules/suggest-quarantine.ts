/**
 * §4.4.11 Suggests flaky tests that no active rule quarantines. A person decides: a suggestion never creates a rule.
 */
import type { FlakyTestRow } from '#shared/analytics/flaky/flaky-wire.ts';
import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { matchesRule } from './match.ts';
import { matchableOf, quarantinesOfProject } from './quarantines.ts';
import { endsWithin } from './within-time.ts';

/**
 * Returns the first few flaky tests that no active rule quarantines, beginning with the test that has the most evidence
 * of flakiness. A rule that requires a certain branch or error does not count, because no execution is checked.
 */
export async function suggestQuarantine(services: WithClock, of: ProjectKey): Promise<FlakyTestRow[]> {
  const query = { limit: RULE_LIMITS.suggestedFrom, page: 0, format: 'json' as const, state: ['flaky' as const] };
  const [flaky, quarantines] = await Promise.all([
    listFlakyTests(services, { ...of, query }),
    quarantinesOfProject(services, of),
  ]);
  const suggested: FlakyTestRow[] = [];
  // A slow regular expression ends the search instead of failing the request, so that the rules page opens and somebody
  // can correct the expression.
  endsWithin(RULE_LIMITS.matchMilliseconds, () => {
    for (const test of flaky.list)
      if (!quarantines.some(({ matcher }) => matchesRule(matcher, matchableOf(test)))) suggested.push(test);
  });
  return suggested.slice(0, RULE_LIMITS.suggested);
}
