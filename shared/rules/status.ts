/** §4.4.11 The status of a rule. */
import { invalidRequest } from '#shared/engine/errors.ts';
import type { Rule } from '#shared/model/rules/rule.ts';

export const RULE_STATUSES = ['active', 'disabled', 'archived', 'expired'] as const;
export type RuleStatus = (typeof RULE_STATUSES)[number];

export const hasExpired = ({ expiresAfter }: Pick<Rule, 'expiresAfter'>, now: number): boolean =>
  expiresAfter !== null && expiresAfter <= now;

/** A rule that was disabled manually stays disabled, even after its expiry. */
export function deriveRuleStatus(
  rule: Pick<Rule, 'archivedAt' | 'disabledAt' | 'expiresAfter'>,
  now: number,
): RuleStatus {
  if (rule.archivedAt !== undefined) return 'archived';
  if (rule.disabledAt !== undefined) return 'disabled';
  return hasExpired(rule, now) ? 'expired' : 'active';
}

/** A past expiry must be a mistake: people who want to pause a rule disable it. */
export function refusePastExpiry(expiresAfter: number | null | undefined, now: number): void {
  if (expiresAfter != null && expiresAfter <= now)
    throw invalidRequest('`expiresAfter` must be in the future. Send a later time, or null for no expiry', [
      'expiresAfter',
    ]);
}
