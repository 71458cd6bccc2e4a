/** §4.4.11 Changes a rule, the row that runners read, and writes the audit record, all in one transaction. */
import type { AuditName } from '#shared/access/actions.ts';
import { actorName } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { lookup } from '#shared/engine/table/found.ts';
import { put, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { appliedRules, archivedRules, type Rule, type RuleKey, rules } from '#shared/model/tests/rule.ts';
import { change } from '#shared/organizations/change.ts';
import type { Submission } from '#shared/organizations/only-once.ts';
import type { CoreServices } from '#shared/services.ts';
import { appliedWrite, beforeOf } from './applied-rules.ts';
import { ruleArchived } from './errors.ts';
import { keyOfRule, type RuleId } from './find-rule.ts';
import { presentRule } from './rule-wire.ts';

export interface RuleRef extends RuleId, Submission {}

interface Changed {
  /** The changed members. `undefined` removes a member. */
  readonly to: Partial<{ readonly [Name in keyof Rule]: Rule[Name] | undefined }>;
  readonly record: { readonly action: AuditName<'actions:write'>; readonly detail: string };
}

/** The name of the actor and the time, for the members of a rule that tell who changed it. */
export interface RuleChange {
  readonly by: string;
  readonly at: number;
}

/**
 * Changes a rule. `plan` returns `undefined` if the rule has the requested values already, and runs again after a
 * concurrent change.
 */
export function changeRule(
  services: CoreServices,
  ref: RuleRef,
  plan: (rule: Rule, by: RuleChange) => Changed | undefined,
) {
  const { organizationId, actionId, actor, formId } = ref;
  return change(services, { actor, formId, action: 'actions:write' }, async () => {
    const { rule, applied } = await readForChange(services, keyOfRule(ref));
    const now = services.now();
    const changed = plan(rule, { by: actorName(actor), at: now });
    if (!changed) return { result: presentRule(rule, now) };
    if (rule.archivedAt !== undefined) throw ruleArchived();
    const next = withMembers({ ...rule, v: rule.v + 1 }, changed.to);
    const added = next.archivedAt === undefined ? 0 : -1;
    return {
      result: presentRule(next, now),
      writes: [...ruleWrites(rule, next), appliedWrite(beforeOf(rule, applied), next, { now, added })],
      record: { ...changed.record, organizationId, subject: actionId, label: rule.name },
    };
  });
}

async function readForChange({ table }: Pick<CoreServices, 'table'>, key: RuleKey) {
  const wanted = [lookup(rules, key), lookup(archivedRules, key), lookup(appliedRules, key)] as const;
  const found = await table.getTogether(wanted, { consistent: true });
  const rule = found.of(wanted[0]) ?? found.of(wanted[1]) ?? refuse(notFound('Action'));
  return { rule, applied: found.of(wanted[2]) };
}

function ruleWrites(before: Rule, next: Rule): Write[] {
  const unchanged = { path: 'v', equals: before.v } as const;
  if (next.archivedAt === undefined) return [put(rules, next, unchanged)];
  return [removeWhen(rules, before, unchanged), put(archivedRules, next)];
}

/** The rule with the changed members. Leaves out those that are `undefined`, which the table cannot store. */
function withMembers(rule: Rule, members: Changed['to']): Rule {
  const { disabledAt, disabledBy, ...rest } = rule;
  const disabled = { disabledAt, disabledBy, ...members };
  const present = Object.fromEntries(Object.entries(disabled).filter(([, value]) => value !== undefined));
  return { ...rest, ...present };
}
