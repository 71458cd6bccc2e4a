/**
 * §4.4.11 The row with all active rules of a project, which runners read. Each change of a rule also writes this row,
 * in the same transaction.
 */

import { ABSENT, type Put, put } from '#shared/engine/table/writes.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import {
  type AppliedRule,
  type AppliedRules,
  appliedRules,
  packRules,
  type Rule,
  unpackRules,
} from '#shared/model/tests/rule.ts';
import { rulesTooLarge, tooManyRules } from './errors.ts';
import { RULE_LIMITS } from './limits.ts';
import { hasExpired, statusOf } from './status.ts';

const EMPTY = { version: 0, count: 0, packed: packRules([]) };

/** The row with the rules of a project before a change, and whether it is new. */
export interface RuleBefore {
  readonly row: AppliedRules;
  readonly isNew: boolean;
}

export const beforeOf = ({ organizationId, projectId }: ProjectKey, stored: AppliedRules | undefined): RuleBefore => ({
  row: stored ?? { ...EMPTY, organizationId, projectId },
  isNew: stored === undefined,
});

/**
 * The write of the row with the changed rule. `added`: the change in the number of rules that are not archived. Throws
 * 409 if the project has too many rules, or if its active rules are too large in total.
 */
export function appliedWrite(
  { row, isNew }: RuleBefore,
  rule: Rule,
  { now, added }: { now: number; added: -1 | 0 | 1 },
): Put {
  const count = row.count + added;
  if (added > 0 && count > RULE_LIMITS.rulesPerProject) throw tooManyRules(RULE_LIMITS.rulesPerProject);
  const others = unpackRules(row).filter((other) => other.actionId !== rule.actionId && !hasExpired(other, now));
  const own = statusOf(rule, now) === 'active' ? [appliedOf(rule)] : [];
  // The ids sort by creation. The order matters, because a runner names the first matching rule of each kind.
  const packed = packRules([...others, ...own].sort((one, other) => (one.actionId < other.actionId ? -1 : 1)));
  // The limit applies only to changes that leave the rule active, so that disabling and archiving always work.
  if (own.length > 0 && packed.byteLength > RULE_LIMITS.appliedBytes) throw rulesTooLarge();
  const unchanged = isNew ? ABSENT : { path: 'version', equals: row.version };
  return put(appliedRules, { ...row, version: row.version + 1, count, packed }, unchanged);
}

const appliedOf = ({ actionId, v, name, action, matcher, createdAt, expiresAfter }: Rule): AppliedRule => ({
  actionId,
  v,
  name,
  action,
  matcher,
  createdAt,
  expiresAfter,
});
