/** §4.4.11 Creates a rule. Runners apply the rule the next time they start. */
import type * as z from 'zod';
import { formatActorName } from '#shared/access/actor.ts';
import { ABSENT, put, type Write } from '#shared/engine/table/writes.ts';
import { composeDatedId, DATED_RANDOM_CHARACTERS } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { appliedRules, type Rule, rules } from '#shared/model/rules/rule.ts';
import { change } from '#shared/organizations/change.ts';
import type { Submission } from '#shared/organizations/only-once.ts';
import type { CoreServices } from '#shared/services.ts';
import { planAppliedWrite, toRulesBefore } from './applied-rules.ts';
import { type NewAction, presentRule } from './rule-wire.ts';
import { refusePastExpiry } from './status.ts';

interface RuleCreation extends Submission, ProjectKey {
  readonly input: z.output<typeof NewAction>;
  /** Writes that belong to the same transaction. */
  readonly also?: (rule: Rule) => readonly Write[];
}

export function createRule(
  services: CoreServices,
  { organizationId, projectId, actor, formId, repetition, input, also = () => [] }: RuleCreation,
) {
  const projectKey = { organizationId, projectId };
  refusePastExpiry(input.expiresAfter, services.now());
  return change(services, { actor, formId, repetition, action: 'actions:write' }, async () => {
    const appliedRow = await services.table.get(appliedRules, projectKey, { consistent: true });
    const now = services.now();
    const actionId = composeDatedId({ projectId, createdAt: now, random: services.randomId(DATED_RANDOM_CHARACTERS) });
    const rule: Rule = { ...projectKey, actionId, v: 1, ...input, createdAt: now, createdBy: formatActorName(actor) };
    return {
      result: presentRule(rule, now),
      writes: [
        put(rules, rule, ABSENT),
        planAppliedWrite(toRulesBefore(projectKey, appliedRow), rule, { now, added: 1 }),
        ...also(rule),
      ],
      inProject: projectKey,
      record: {
        organizationId,
        action: 'action created',
        subject: actionId,
        label: rule.name,
        detail: `${rule.name}, project ${projectId}`,
      },
    };
  });
}
