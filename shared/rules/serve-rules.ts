/** §4.4.11 The active rules of a project, as the fixtures of the published reporter expect them. */
import type * as z from 'zod';
import { findProject } from '#shared/find-project.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { type AppliedRule, appliedRules, unpackRules } from '#shared/model/rules/rule.ts';
import type { WithClock } from '#shared/services.ts';
import type { ServedRules } from './served-wire.ts';
import { hasExpired } from './status.ts';

/** Costs at most one read unit. Without a row, the project never had a rule or does not exist. */
export async function serveRules({ table, now }: WithClock, project: ProjectKey): Promise<z.input<typeof ServedRules>> {
  const appliedRow = await table.get(appliedRules, project);
  if (!appliedRow) await findProject({ table }, project);
  const active = appliedRow ? unpackRules(appliedRow).filter((rule) => !hasExpired(rule, now())) : [];
  return { rules: active.map(presentServedRule) };
}

const presentServedRule = ({ actionId, v, name, action, matcher, createdAt }: AppliedRule) => ({
  _id: actionId,
  v,
  name,
  action: action.map((step) => ({ ...step })),
  matcher: { op: matcher.op, cond: matcher.cond.map((condition) => ({ ...condition })) },
  createdAt: new Date(createdAt).toISOString(),
});
