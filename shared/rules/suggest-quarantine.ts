/** §4.4.11 Suggests flaky tests that no active rule quarantines. A suggestion never creates a rule. */
import type { FlakyTestRow } from '#shared/analytics/flaky/flaky-wire.ts';
import { listFlakyTests } from '#shared/analytics/flaky/list-flaky-tests.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { isRuleMatch } from './match.ts';
import { listProjectQuarantines, toMatchable } from './quarantines.ts';
import { tryRunWithin } from './within-time.ts';

/** Most evidence first. A rule that requires a certain branch or error does not count: no execution is checked. */
export async function suggestQuarantine(services: WithClock, project: ProjectKey): Promise<FlakyTestRow[]> {
  const query = {
    limit: RULE_LIMITS.suggestionCandidates,
    page: 0,
    format: 'json' as const,
    state: ['flaky' as const],
  };
  const [flaky, quarantines] = await Promise.all([
    listFlakyTests(services, { ...project, query }),
    listProjectQuarantines(services, project),
  ]);
  const suggestions: FlakyTestRow[] = [];
  // A slow regular expression ends the search, so that the rules page opens and somebody can correct it.
  tryRunWithin(RULE_LIMITS.matchMilliseconds, () => {
    for (const test of flaky.list)
      if (!quarantines.some(({ matcher }) => isRuleMatch(matcher, toMatchable(test)))) suggestions.push(test);
  });
  return suggestions.slice(0, RULE_LIMITS.suggestedTests);
}
