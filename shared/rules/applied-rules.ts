/** §4.4.11 The row with all active rules of a project, which runners read. Each change of a rule writes it, too. */

import { ABSENT, type Put, put } from '#shared/engine/table/writes.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import {
  type AppliedRule,
  type AppliedRules,
  appliedRules,
  packRules,
  type Rule,
  unpackRules,
} from '#shared/model/rules/rule.ts';
import { rulesTooLarge, tooManyRules } from './errors.ts';
import { RULE_LIMITS } from './limits.ts';
import { deriveRuleStatus, hasExpired } from './status.ts';

const EMPTY = { version: 0, count: 0, packed: packRules([]) };

/** The row with the rules of a project before a change, and whether it is new. */
export interface RulesBefore {
  readonly row: AppliedRules;
  readonly isNew: boolean;
}

export const toRulesBefore = (
  { organizationId, projectId }: ProjectKey,
  row: AppliedRules | undefined,
): RulesBefore => ({
  row: row ?? { ...EMPTY, organizationId, projectId },
  isNew: row === undefined,
});

/** Throws 409 for too many or too large rules. `added`: the change in the number of rules that are not archived. */
export function planAppliedWrite(
  { row, isNew }: RulesBefore,
  rule: Rule,
  { now, added }: { now: number; added: -1 | 0 | 1 },
): Put {
  const count = row.count + added;
  if (added > 0 && count > RULE_LIMITS.rulesPerProject) throw tooManyRules(RULE_LIMITS.rulesPerProject);
  const others = unpackRules(row).filter((other) => other.actionId !== rule.actionId && !hasExpired(other, now));
  const newEntries = deriveRuleStatus(rule, now) === 'active' ? [toAppliedRule(rule)] : [];
  // The ids sort by creation. The order matters, because a runner names the first matching rule of each kind.
  const packedRules = packRules(
    [...others, ...newEntries].sort((one, other) => (one.actionId < other.actionId ? -1 : 1)),
  );
  // The limit applies only to changes that leave the rule active, so that disabling and archiving always work.
  if (newEntries.length > 0 && packedRules.byteLength > RULE_LIMITS.appliedBytes) throw rulesTooLarge();
  const condition = isNew ? ABSENT : { path: 'version', equals: row.version };
  return put(appliedRules, { ...row, version: row.version + 1, count, packed: packedRules }, condition);
}

const toAppliedRule = ({ actionId, v, name, action, matcher, createdAt, expiresAfter }: Rule): AppliedRule => ({
  actionId,
  v,
  name,
  action,
  matcher,
  createdAt,
  expiresAfter,
});
