/** Finds the rule whose id is in the URL of a page or form. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { findRule } from '#shared/rules/find-rule.ts';
import { presentRule, type ShownRule } from '#shared/rules/rule-wire.ts';
import type { WithClock } from '#shared/services.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** Throws 404 if the rule does not exist or belongs to another project. */
export async function requireVisitedRule(
  services: WithClock,
  { organizationId, projectId }: ProjectVisit,
  actionId: string,
): Promise<ShownRule> {
  const rule = await findRule(services, { organizationId, actionId });
  return rule.projectId === projectId ? presentRule(rule, services.now()) : refuse(notFound('Action'));
}
