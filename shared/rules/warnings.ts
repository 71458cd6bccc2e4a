/** §4.4.11 Reasons to look at a rule again. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { type AffectedTest, affectedTests, getAffectedTestsSpan } from '#shared/model/rules/affected-test.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import type { ShownRule } from './rule-wire.ts';

/** The warnings about a rule. `alwaysGreen`: a quarantine whose latest executions all passed. */
export type Warning = 'noExpiry' | 'unmatched' | 'alwaysGreen';

export interface RuleReview {
  readonly rule: ShownRule;
  readonly warnings: readonly Warning[];
  /** When the rule last matched a test, in epoch milliseconds. Only results that are still stored count. */
  readonly lastMatchAt: number | undefined;
}

/** Costs one query per rule. */
export const reviewRules = (
  services: WithClock,
  organizationId: string,
  rules: readonly ShownRule[],
): Promise<RuleReview[]> => mapConcurrently(rules, (rule) => reviewRule(services, organizationId, rule));

export async function reviewRule(
  { table, now }: WithClock,
  organizationId: string,
  rule: ShownRule,
): Promise<RuleReview> {
  const { projectId, actionId } = rule;
  const span = getAffectedTestsSpan({ organizationId, projectId, actionId }, 0, now() + 1);
  const { rows } = await table.query(affectedTests, span, { limit: RULE_LIMITS.reviewedMatches, newestFirst: true });
  const matches = rows.map(({ item }) => item);
  return { rule, warnings: listWarnings(rule, matches, now()), lastMatchAt: matches[0]?.recordedAt };
}

/** Only rules that runners currently apply can have warnings. */
function listWarnings(rule: ShownRule, matches: readonly AffectedTest[], now: number): Warning[] {
  if (rule.status !== 'active') return [];
  const since = now - RULE_LIMITS.unmatchedMilliseconds;
  const isUnmatched = Date.parse(rule.createdAt) < since && (matches[0]?.recordedAt ?? 0) < since;
  const quarantines = rule.action.some(({ op }) => op === 'quarantine');
  const isGreen =
    matches.length >= RULE_LIMITS.greenExecutions &&
    matches.every(({ outcome, flaky }) => outcome === 'passed' && !flaky);
  const warnings: Warning[] = [];
  if (rule.expiresAfter === null) warnings.push('noExpiry');
  if (isUnmatched) warnings.push('unmatched');
  else if (quarantines && isGreen) warnings.push('alwaysGreen');
  return warnings;
}
