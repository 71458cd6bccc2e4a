/** §4.4.11 The active rules of a project, as the fixtures of the published reporter expect them. */
import type * as z from 'zod';
import { findProject } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type AppliedRule, appliedRules, unpackRules } from '#shared/model/tests/rule.ts';
import type { WithClock } from '#shared/services.ts';
import type { ServedRules } from './served-wire.ts';
import { hasExpired } from './status.ts';

/**
 * Returns the active rules of a project. Costs at most one read unit. If there is no row with rules, the project never
 * had a rule or does not exist.
 */
export async function serveRules({ table, now }: WithClock, of: ProjectKey): Promise<z.input<typeof ServedRules>> {
  const applied = await table.get(appliedRules, of);
  if (!applied) await findProject({ table }, of);
  const active = applied ? unpackRules(applied).filter((rule) => !hasExpired(rule, now())) : [];
  return { rules: active.map(served) };
}

const served = ({ actionId, v, name, action, matcher, createdAt }: AppliedRule) => ({
  _id: actionId,
  v,
  name,
  action: action.map((step) => ({ ...step })),
  matcher: { op: matcher.op, cond: matcher.cond.map((condition) => ({ ...condition })) },
  createdAt: new Date(createdAt).toISOString(),
});
